/// Zones that lately were out of stock for groups.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

/// [strand] A regional MIG with the target distribution shape BALANCED or ANY creates instances in
/// zones that have capacity. So a stock-out in one zone need not back the group off: while another
/// of its zones has had no stock-out in the last five minutes, the error is `conflict`, and the
/// group is asked again. If the group's stock-outs go on for five minutes, they become
/// `out_of_capacity`: Google does not choose the other zone, which may lack the machine type. Every
/// other stock-out is `out_of_capacity`.
class StockOuts {
public:
    explicit StockOuts(const Host& host) : host_(host) {}

    /// Records a stock-out of the group; other failures are ignored. An empty `zone` stands for all
    /// zones of the group.
    void note(const std::string& group_id, const ManagedGroup& group, const std::string& zone,
              const Error& fault);
    /// The failure with the code that it has for the group now. Other failures than stock-outs are
    /// returned as they are.
    Error judge(Error fault, const std::string& group_id, const ManagedGroup& group) const;
    /// Drops records older than five minutes.
    void forget_old();

private:
    bool is_out(const std::string& group_id, const std::string& zone) const;
    bool has_lasted(const std::string& group_id) const;
    const Host host_;
    /// A series of stock-outs of a group, each less than five minutes after the previous one.
    struct Episode {
        Duration first{}, last{};
    };
    std::map<std::string, Episode> episodes_{};
    std::map<std::pair<std::string, std::string>, Duration> seen_at_{};
};

/// The zone of the instance, or else the zone in the failure's message ("The zone
/// 'projects/p/zones/z' does not ..."); empty if neither has one.
std::string zone_of_failure(const ResourceLink& instance, const std::string& message);

}  // namespace capstan::gce
