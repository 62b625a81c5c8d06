/// Labels that every node has, under today's names and under those that Kubernetes gave up.
#pragma once

#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/node_template.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::templates {

/// The hostname of every template: a new node's own is not known, and no pod asks for this one.
inline constexpr std::string_view hostname_of_templates = "new-node";

/// The machine types that nodes are labelled with.
class MachineTypeFinder {
public:
    /// Borrows the cluster.
    explicit MachineTypeFinder(const snapshot::Cluster& cluster);
    /// Nothing: the node is labelled with none.
    std::optional<snapshot::Symbol> find(const snapshot::NodeRow& node) {
        const auto found = label_.find(node.labels);
        return found ? found : old_label_.find(node.labels);
    }

private:
    snapshot::LabelFinder label_, old_label_;
};

/// Fills machine_type, zone, arch and os from the labels where they are empty.
void fill_fields(NodeTemplate& node);
/// The other way round, after it: labels that are missing, new names and old ones. What a label
/// says stands.
void fill_labels(NodeTemplate& node);

// On what terms a machine is had: on demand, or as spot.

/// Whether a node with these labels may be reclaimed by its cloud. Clouds and installers mark that
/// with labels of their own.
bool is_spot(const Labels& labels);

}  // namespace capstan::engine::templates
