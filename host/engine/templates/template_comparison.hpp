/// What a cloud tells of new nodes beside what a node of the group turned out to be, field by
/// field.
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

struct TemplateField {
    /// "machine type", "capacity cpu", "allocatable memory", "label team", "taint dedicated".
    std::string name{};
    std::optional<std::string> told{}, seen{};  ///< nothing: template or node has none
    /// "3.1% less" (the node, of an amount), "differs", "not told", "not there"; empty: the same.
    std::string mark{};
    bool is_same() const noexcept { return mark.empty(); }
    bool operator==(const TemplateField&) const = default;
};

struct TemplateComparison {
    /// The youngest node of the group that can stand for a new one; empty: there is none.
    std::string node{};
    std::string not_compared_because{};  ///< why nothing is compared; empty: `fields` are
    std::string remark{};  ///< why template and node may differ with good reason; empty: none
    std::vector<TemplateField> fields{};

    std::size_t differences() const noexcept;
};

/// The cloud's own template, also where new nodes are taken to look like a node. A node can stand
/// for a new one as in why_no_model. `group`: its place in the snapshot. `wall`: see PassTime.
TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall);

/// Fields of either, in this order: machine type, zone, arch, os, amounts, labels, taints. Labels
/// that say the same as a field, and those that name the node itself (its hostname, its machine),
/// are left out; so are taints that pass, and amounts of nothing.
std::vector<TemplateField> compare_fields(NodeTemplate told, NodeTemplate seen,
                                          const std::string& provider_id, const Settings& settings);

}  // namespace capstan::engine::templates
