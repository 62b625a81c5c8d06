/// What the stores of all kinds have in common: the builder, and when its content may be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::kubernetes::client {

/// One thread.
class CachePublisher {
public:
    explicit CachePublisher(engine::snapshot::ClusterBuilderOptions options);

    engine::snapshot::ClusterBuilder& builder() noexcept { return *builder_; }
    /// A kind is partly of a new list from now on until end_replace(); that state is not published.
    void begin_replace();
    void end_replace();
    /// The last cluster in which every kind was whole; nothing: there has been none.
    std::optional<engine::snapshot::Cluster> cluster();
    /// What is here now, without taking it: what cluster() would give, or what has come so far
    /// where that is nothing. A waiter for a change is told of it all the same.
    engine::snapshot::Cluster held();

    /// Calls on_change, where something changed since cluster() that may be shown, and
    /// on_unschedulable.
    void settle();
    void see_unschedulable() noexcept { has_unschedulable_ = true; }

    /// Whether all kinds have been here. Asked until it says so; nothing is shown before.
    std::function<bool()> is_complete{};
    std::function<void()> on_change{};
    std::function<void()> on_unschedulable{};

private:
    bool may_show();
    void refresh();
    void start_afresh();

    engine::snapshot::ClusterBuilderOptions options_;
    std::optional<engine::snapshot::ClusterBuilder> builder_;
    std::optional<engine::snapshot::Cluster> last_{};
    std::uint64_t shown_changes_ = 0;  ///< of the builder, when `last_` was made
    std::size_t fresh_bytes_ = 0;
    std::size_t replacing_ = 0;  ///< kinds
    bool is_complete_ = false;
    bool has_told_change_ = false, has_unschedulable_ = false, has_told_unschedulable_ = false;
};

}  // namespace capstan::kubernetes::client
