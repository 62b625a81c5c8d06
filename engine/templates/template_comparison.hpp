/// Compares the cloud's template of a group with a node of the group, field by field.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::templates {

/// One field of the template and of the node.
struct TemplateField {
    /// "machine type", "capacity cpu", "allocatable memory", "label team", "taint dedicated".
    std::string name{};
    std::optional<std::string> from_template{}, from_node{};  ///< absent: it lacks the field
    /// "3.1% less" (the node has less than the template), "differs", "not in template" (only the
    /// node has it), "not on node" (only the template has it); empty: the same.
    std::string mark{};
    bool is_same() const noexcept { return mark.empty(); }
    bool operator==(const TemplateField&) const = default;
};

struct TemplateComparison {
    /// The youngest node of the group that is a template candidate; empty: there is none.
    std::string node{};
    std::string not_compared_because{};  ///< why `fields` is empty; empty: they were compared
    std::string remark{};  ///< why template and node may differ with good reason; empty: none
    std::vector<TemplateField> fields{};

    std::size_t differences() const noexcept;
};

/// Compares the cloud's own template, even if new nodes are expected to look like a node. For
/// template candidates see why_not_template_candidate. `group`: index into Snapshot::groups.
/// `wall`: see PassTime.
TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall);

/// The fields that either of the two has, in this order: machine type, zone, arch, os, amounts,
/// labels, taints. Left out are labels with the same meaning as a field, labels that name the node
/// itself (its hostname, its machine), transient taints, and amounts that are zero in both.
std::vector<TemplateField> compare_fields(NodeTemplate described, NodeTemplate actual,
                                          const std::string& provider_id, const Settings& settings);

}  // namespace capstan::engine::templates
