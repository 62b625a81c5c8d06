/// A cloud's view that is told more than once.
#pragma once

#include <memory>
#include <utility>

#include <capstan/cloud_view.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// What `refresh()` may give instead of a CloudView: kept by the plugin and given again for as long
/// as nothing has changed, it is neither copied nor crossing anew, which counts where there are
/// thousands of machines. Immutable; copies share it, on any thread. One that was moved from is
/// only to be assigned to or destroyed.
///
///     Task<SharedCloudView> AcmeCloud::refresh() {
///         if (co_await has_changed() || !told_) told_ = SharedCloudView(co_await read());
///         co_return *told_;  // std::optional<SharedCloudView>
///     }
class SharedCloudView {
public:
    explicit SharedCloudView(CloudView view)
        : kept_(std::make_shared<const Kept>(std::move(view))) {}

    const CloudView& operator*() const noexcept { return kept_->view; }
    const CloudView* operator->() const noexcept { return &kept_->view; }
    /// Lowered; lives as long as any copy.
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
