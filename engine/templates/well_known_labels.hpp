/// Well-known labels of nodes, under their present names and under their deprecated names.
#pragma once

#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/node_template.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::templates {

/// The hostname of every template. The hostname of a new node is not known yet, and no pod names
/// this one.
inline constexpr std::string_view hostname_of_templates = "new-node";

/// Finds the machine type of many nodes by their labels.
class MachineTypeFinder {
public:
    /// Borrows the cluster.
    explicit MachineTypeFinder(const snapshot::Cluster& cluster);
    /// Absent: the node has no such label.
    std::optional<snapshot::Symbol> find(const snapshot::NodeRow& node) {
        const auto found = label_.find(node.labels);
        return found ? found : old_label_.find(node.labels);
    }

private:
    snapshot::LabelFinder label_, old_label_;
};

/// Fills empty machine_type, zone, arch and os from the labels.
void fill_fields(NodeTemplate& node);
/// Adds missing labels, under present and deprecated names, from each other and from the fields.
/// Labels that exist do not change. Comes after fill_fields.
void fill_labels(NodeTemplate& node);
/// Whether templates have the label although their cloud may not describe it: those of fill_labels,
/// and the hostname.
bool is_filled_label(std::string_view key) noexcept;

/// Whether the labels mark a spot (or preemptible) node, which its cloud may reclaim. Clouds and
/// installers have labels of their own for that.
bool is_spot(const Labels& labels);

}  // namespace capstan::engine::templates
