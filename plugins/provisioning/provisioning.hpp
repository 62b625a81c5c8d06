/// Suggests node groups that could be made for pending pods.
///
/// For every machine type and offering (a zone, on demand or spot), the requirements of the pods
/// that would fit on such a machine are packed into label sets, and each label set becomes one
/// group. The engine compares the suggestions with existing groups and chooses.
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
    std::span<const PodEquivalenceGroup> pods;  ///< pending pods
    std::span<const MachineType> machines;      ///< machine types that the cloud offers
    int groups = 0;                             ///< number of groups that the cluster has
    Resources room{};  ///< how much the cluster may grow; a resource that is absent has no limit
    std::string_view cloud{};  ///< plugin instance of the cloud that offers the machines
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
    /// Machine types that are left out, in whole or for some pods, with the reason. The nearest
    /// miss comes first; `enum class Miss` of the source has the order.
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
