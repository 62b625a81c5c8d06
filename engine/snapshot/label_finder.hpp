/// Looks up one label on many nodes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::snapshot {

/// Like find_label, but compares texts only until it has found the label once. From then on it
/// compares symbols. Borrows cluster and key. [one thread]
class LabelFinder {
public:
    LabelFinder(const Cluster& cluster, std::string_view key) : cluster_(&cluster), key_(key) {}

    /// The value of the label; absent: it is not among `labels`.
    std::optional<Symbol> find(std::span<const LabelPair> labels) {
        for (const LabelPair& label : labels) {
            const bool is_match =
                symbol_ != Symbol::empty ? label.key == symbol_ : cluster_->text(label.key) == key_;
            if (!is_match) continue;
            symbol_ = label.key;
            return label.value;
        }
        return std::nullopt;
    }

private:
    const Cluster* cluster_;
    std::string_view key_;
    Symbol symbol_ = Symbol::empty;  // no label has an empty key
};

}  // namespace capstan::engine::snapshot
