/// A cloud view that is returned more than once.
#pragma once

#include <memory>
#include <utility>

#include <capstan/cloud_view.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// `refresh()` may return it instead of a CloudView. The plugin keeps it and returns it again as
/// long as nothing has changed, which saves copies and conversions of thousands of machines.
/// Immutable; copies share the view, on any thread. After a move only assignment and destruction
/// are valid.
///
///     Task<SharedCloudView> AcmeCloud::refresh() {
///         if (co_await has_changed() || !view_) view_ = SharedCloudView(co_await read());
///         co_return *view_;  // std::optional<SharedCloudView>
///     }
class SharedCloudView {
public:
    explicit SharedCloudView(CloudView view)
        : kept_(std::make_shared<const Kept>(std::move(view))) {}

    const CloudView& operator*() const noexcept { return kept_->view; }
    const CloudView* operator->() const noexcept { return &kept_->view; }
    /// The view in the ABI; valid as long as any copy exists.
    const capstan_cloud_view& raw() const noexcept { return kept_->raw; }

private:
    struct Kept {
        explicit Kept(CloudView told) : view(std::move(told)), raw(arena.to_abi(view)) {}
        const CloudView view;
        AbiArena arena;
        const capstan_cloud_view raw;
    };
    std::shared_ptr<const Kept> kept_;
};

CAPSTAN_NAMESPACE_END
