/// One label, looked up on many nodes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::snapshot {

/// Like find_label, but compares texts only until it has met the label once: from then on it knows
/// its key by number. Borrows cluster and key.
class LabelFinder {
public:
    LabelFinder(const Cluster& cluster, std::string_view key) : cluster_(&cluster), key_(key) {}

    /// The value of the label; nothing: it is none of these.
    std::optional<Symbol> find(std::span<const LabelPair> labels) {
        for (const LabelPair& label : labels) {
            const bool is_it =
                symbol_ != Symbol::empty ? label.key == symbol_ : cluster_->text(label.key) == key_;
            if (!is_it) continue;
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
