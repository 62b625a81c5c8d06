/// The builder that the caches of all kinds share, and when its content is published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <capstan/assert.hpp>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::kubernetes::client {

/// While a kind is listed again, the builder holds a part of its new list and the whole of the
/// other kinds: a cluster that never existed. The publisher therefore takes clusters from the
/// builder only while no kind is listed again; during a list it returns the last cluster from
/// before the list. One thread.
class CachePublisher {
public:
    explicit CachePublisher(engine::snapshot::ClusterBuilderOptions options);

    engine::snapshot::ClusterBuilder& builder() noexcept {
        CAPSTAN_ASSERT(builder_, "there is no builder");
        return *builder_;
    }
    /// From begin_replace() to end_replace() a kind is listed again, and nothing is published.
    void begin_replace();
    void end_replace();
    /// The newest cluster in which each kind was whole; absent: there has been none.
    std::optional<engine::snapshot::Cluster> cluster();
    /// The cluster for status pages: the one that cluster() would give, or, before the first one,
    /// the content of the builder so far. Unlike cluster() it does not arm on_change again.
    engine::snapshot::Cluster peek();

    /// Calls on_change if there is a change to publish, and on_unschedulable if there is a pod to
    /// report, but neither while a kind is listed. Each is called once until the next cluster().
    void settle();
    void note_unschedulable() noexcept { has_unschedulable_ = true; }

    /// Whether all kinds have been listed once. Nothing is published before it returns true; it is
    /// not called afterwards.
    std::function<bool()> is_complete{};
    std::function<void()> on_change{};
    std::function<void()> on_unschedulable{};

private:
    bool may_publish();
    void refresh();
    /// Replaces the builder by one that holds `content` alone.
    void rebuild(const engine::snapshot::Cluster& content);

    engine::snapshot::ClusterBuilderOptions options_;
    std::optional<engine::snapshot::ClusterBuilder> builder_;
    std::optional<engine::snapshot::Cluster> last_{};
    std::uint64_t published_changes_ = 0;  ///< the builder's count of changes at `last_`
    /// size of the cluster right after the last rebuild, or of the first cluster
    std::size_t fresh_bytes_ = 0;
    std::size_t replacing_ = 0;  ///< how many kinds are being listed again
    bool is_complete_ = false;
    bool has_notified_change_ = false;
    bool has_unschedulable_ = false, has_notified_unschedulable_ = false;
};

}  // namespace capstan::kubernetes::client
