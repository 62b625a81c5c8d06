/// What a pass came to: data, each part with its reason. Someone else carries it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "engine/scale_up/expander_chain.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// Asks a cloud for more machines.
struct Increase {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    int from = 0;  ///< the target this was decided on
    int by = 0;
    std::uint32_t pods_helped = 0;
    std::size_t option = 0;  ///< index into Decision::options
    std::string because{};   ///< "smallest of 3 similar groups, makes room for 9 pods"
    bool operator==(const Increase&) const = default;
};

/// Pods of one class that are helped or not, by number.
struct PodCount {
    ClassId pod_class = 0;
    std::string example{};  ///< "namespace/name" of the first by name
    std::uint32_t count = 0;
    bool operator==(const PodCount&) const = default;
};

/// An option that was chosen, and the questions before it.
struct ChosenOption {
    NodeGroupId group{};
    int nodes = 0;                        ///< as estimated
    int granted = 0;                      ///< what limits and maxima left of it
    std::size_t considered = 0;           ///< options there were
    std::vector<NodeGroupId> similar{};   ///< groups it was shared with
    std::vector<std::string> left_out{};  ///< similar groups that were not, each with its reason
    std::vector<PodCount> pods{};
    std::vector<StageVerdict> stages{};
    std::string because{};
};

/// Why one group does not help a class.
struct GroupReason {
    std::vector<NodeGroupId> groups{};  ///< those it holds for, by id
    std::string sentence{};
    bool operator==(const GroupReason&) const = default;
};

/// Pods that stay without room.
struct Unhelped {
    PodCount pods{};
    std::string because{};  ///< in one sentence
    /// Every group is in one of them; empty past the first thousand classes, of which
    /// scale_up/explain.hpp tells.
    std::vector<GroupReason> groups{};
};

/// Pods that this pass did not look at, or that need nothing.
struct SkippedPods {
    std::uint32_t count = 0;
    std::string because{};  ///< "fit on existing or upcoming nodes", "wait for a gate"
};

struct Decision {
    std::vector<Increase> increases{};  ///< in the order to carry them out
    std::vector<ChosenOption> options{};
    std::vector<PodCount> helped{};
    std::vector<Unhelped> unhelped{};
    std::vector<SkippedPods> skipped{};
    /// Limits that were hit, groups without a template, checks that failed.
    std::vector<std::string> notes{};
};

}  // namespace capstan::engine
