/// Node groups that could be made for pods that wait: the proposal's computation of label sets, for
/// every machine type, zone and kind of machine on offer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/group_source.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/pod.hpp>

#include "config.hpp"

namespace capstan::provisioning {

/// Everything is borrowed for the call.
struct Situation {
    std::span<const PodEquivalenceGroup> pods;  ///< pods that wait
    std::span<const MachineType> machines;      ///< on offer
    int groups = 0;                             ///< that the cluster has
    Resources room{};          ///< by how much it may grow; what is not there has no limit
    std::string_view cloud{};  ///< whose machines these are
};

struct Suggestions {
    struct Suggested {
        GroupPlan plan{};
        std::string because{};
    };
    struct LeftOut {
        std::string machine_type{}, because{};
    };
    std::vector<Suggested> groups{};  ///< by machine type and offer, in the order given
    /// Types of which there is no group, with the reason, the nearest miss first: what a limit has
    /// no room for, what is too small for every pod, what is for other pods, what is not on offer,
    /// last what machine_types does not name.
    std::vector<LeftOut> left_out{};
};

Suggestions suggest_groups(const Situation& situation, const Config& config);

class Provisioning {
public:
    explicit Provisioning(Config config) : config_(std::move(config)) {}
    void suggest(const Call& call, const GroupSourceRequest& request,
                 const GroupSuggestions& suggest) const;
    bool owns(const Call& call, const GroupView& group) const;

private:
    Config config_;
};

}  // namespace capstan::provisioning
