#include "kubernetes/client/cache/cache_publisher.hpp"

#include <utility>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"

namespace capstan::kubernetes::client {
namespace {

/// A builder's pools only grow. It is rebuilt once deleted objects take half as much memory as the
/// fresh cluster, plus 8 MiB for small clusters; so rebuilding costs far less than the changes.
bool needs_rebuild(std::size_t bytes, std::size_t fresh_bytes) {
    return bytes > fresh_bytes + fresh_bytes / 2 + (std::size_t{8} << 20);
}

}  // namespace

CachePublisher::CachePublisher(engine::snapshot::ClusterBuilderOptions options)
    : options_(std::move(options)) {
    builder_.emplace(options_);
}

void CachePublisher::begin_replace() {
    if (may_publish()) refresh();  // for cluster() while the kind is listed
    ++replacing_;
}

bool CachePublisher::may_publish() {
    if (!is_complete_) is_complete_ = is_complete && is_complete();
    return is_complete_ && replacing_ == 0;
}

void CachePublisher::end_replace() { --replacing_; }

std::optional<engine::snapshot::Cluster> CachePublisher::cluster() {
    if (may_publish()) {
        refresh();
        has_unschedulable_ = false;
    }
    has_notified_change_ = has_notified_unschedulable_ = false;
    return last_;
}

engine::snapshot::Cluster CachePublisher::peek() {
    return may_publish() || !last_ ? builder().build() : *last_;
}

void CachePublisher::refresh() {
    if (last_ && builder().changes() == published_changes_) return;
    last_ = builder().build();
    if (fresh_bytes_ == 0) fresh_bytes_ = last_->bytes();
    if (needs_rebuild(last_->bytes(), fresh_bytes_)) rebuild(*last_);
    published_changes_ = builder().changes();
}

void CachePublisher::rebuild(const engine::snapshot::Cluster& content) {
    builder_.emplace(options_);
    engine::snapshot::copy(content, builder());
    last_ = builder().build();
    fresh_bytes_ = last_->bytes();
}

void CachePublisher::settle() {
    if (!may_publish()) return;
    const bool is_new = !last_ || builder().changes() != published_changes_;
    if (is_new && !std::exchange(has_notified_change_, true) && on_change) on_change();
    if (has_unschedulable_ && !std::exchange(has_notified_unschedulable_, true) && on_unschedulable)
        on_unschedulable();
}

}  // namespace capstan::kubernetes::client
