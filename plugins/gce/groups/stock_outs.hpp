/// Zones in which groups could have no machines lately.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

/// [strand] A regional group of the shape BALANCED or ANY makes its machines where there are some.
/// While one of its zones has not been out of stock in the last five minutes, a stock-out of
/// another one is `conflict`: the group is asked again. Once the group's stock-outs have gone on
/// for five minutes they are `out_of_capacity` all the same: Google does not choose the other zone,
/// which may lack the machine type. Any other stock-out is `out_of_capacity`.
class StockOuts {
public:
    explicit StockOuts(const Host& host) : host_(host) {}

    /// A machine of the group failed so. Other failures than stock-outs count for nothing; without
    /// a zone it is one of all zones.
    void note(const std::string& group_id, const ManagedGroup& group, const std::string& zone,
              const Error& fault);
    /// What the failure means for the group, as of now; what is no stock-out stays as it is.
    Error judge(Error fault, const std::string& group_id, const ManagedGroup& group) const;
    /// Forgets what is older.
    void forget_old();

private:
    bool is_out(const std::string& group_id, const std::string& zone) const;
    bool has_lasted(const std::string& group_id) const;
    const Host host_;
    /// Stock-outs of a group, each less than five minutes after the one before.
    struct Episode {
        Duration first{}, last{};
    };
    std::map<std::string, Episode> episodes_{};
    std::map<std::pair<std::string, std::string>, Duration> seen_at_{};
};

/// The zone of an instance, or of its failure's words ("The zone 'projects/p/zones/z' does not
/// ..."); empty: neither says.
std::string zone_of_failure(const ResourceLink& instance, const std::string& message);

}  // namespace capstan::gce
