#include "kubernetes/client/watch/cache_publisher.hpp"

#include <utility>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"

namespace capstan::kubernetes::client {
namespace {

/// What clusters may leave behind of pods long gone before their builder is replaced: half as much
/// as they need, which keeps its cost far below that of the changes, and a little for small ones.
bool is_worn(std::size_t bytes, std::size_t fresh_bytes) {
    return bytes > fresh_bytes + fresh_bytes / 2 + (std::size_t{8} << 20);
}

}  // namespace

CachePublisher::CachePublisher(engine::snapshot::ClusterBuilderOptions options)
    : options_(std::move(options)) {
    builder_.emplace(options_);
}

void CachePublisher::begin_replace() {
    if (may_show()) refresh();  // to be shown meanwhile
    ++replacing_;
}

bool CachePublisher::may_show() {
    if (!is_complete_) is_complete_ = is_complete && is_complete();
    return is_complete_ && replacing_ == 0;
}

void CachePublisher::end_replace() { --replacing_; }

std::optional<engine::snapshot::Cluster> CachePublisher::cluster() {
    if (may_show()) {
        refresh();
        has_unschedulable_ = false;
    }
    has_told_change_ = has_told_unschedulable_ = false;
    return last_;
}

engine::snapshot::Cluster CachePublisher::held() {
    return may_show() || !last_ ? builder_->build() : *last_;
}

void CachePublisher::refresh() {
    if (last_ && builder_->changes() == shown_changes_) return;
    last_ = builder_->build();
    if (fresh_bytes_ == 0) fresh_bytes_ = last_->bytes();
    if (is_worn(last_->bytes(), fresh_bytes_)) start_afresh();
    shown_changes_ = builder_->changes();
}

void CachePublisher::start_afresh() {
    builder_.emplace(options_);
    engine::snapshot::copy(*last_, *builder_);
    last_ = builder_->build();
    fresh_bytes_ = last_->bytes();
}

void CachePublisher::settle() {
    if (!may_show()) return;
    const bool is_new = !last_ || builder_->changes() != shown_changes_;
    if (is_new && !std::exchange(has_told_change_, true) && on_change) on_change();
    if (has_unschedulable_ && !std::exchange(has_told_unschedulable_, true) && on_unschedulable)
        on_unschedulable();
}

}  // namespace capstan::kubernetes::client
