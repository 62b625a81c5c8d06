/// Every call into a plugin's instance goes through here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "plugin_runtime/loop/breadcrumbs.hpp"
#include "plugin_runtime/loop/call_watch.hpp"
#include "plugin_runtime/loop/guarded_call.hpp"
#include "plugin_runtime/loop/plugin_time.hpp"

namespace capstan::plugin_runtime::loop {

/// A call through `call` has a call marker, counts as the plugin's time, and lets no exception out.
/// [any thread]
class PluginCalls {
public:
    /// Called when a plugin does what it must not: "filter threw an exception: through C". Must
    /// not throw.
    using Report = std::function<void(Hook hook, const std::string& sentence)>;

    /// `report` may be empty. `strand` watches calls on the instance's thread; NULL: a watch of its
    /// own.
    explicit PluginCalls(std::shared_ptr<CallMarkers> markers, Report report = {},
                         std::shared_ptr<CallWatch> strand = {})
        : markers_(std::move(markers)),
          report_(std::move(report)),
          strand_(strand ? std::move(strand) : std::make_shared<CallWatch>(CallWatch::Options{})) {}
    PluginCalls(const PluginCalls&) = delete;
    PluginCalls& operator=(const PluginCalls&) = delete;

    /// The result of `body`, see call_guarded. Exceptions of a hook are reported when their number
    /// is a power of ten: the 1st, the 10th, the 100th. A call that ends the process keeps its
    /// marker.
    template <class F>
    auto call(Hook hook, F&& body) -> Result<std::invoke_result_t<F>> {
        markers_->enter(hook);
        auto result = call_guarded(
            [&] {
                const PluginTime::Inside inside;
                return std::forward<F>(body)();
            },
            [&] { report_thread_exit(hook); });
        markers_->leave(hook);
        if (!result) report_exception(hook, result.error().message);
        return result;
    }

    /// The same for a call on the instance's own thread, which is watched while it lasts.
    template <class F>
    auto call_on_strand(Hook hook, F&& body) -> Result<std::invoke_result_t<F>> {
        const StrandCall watched(*strand_, *markers_, hook);
        return call(hook, std::forward<F>(body));
    }

private:
    void report_exception(Hook hook, const std::string& what);
    void report_thread_exit(Hook hook) const;

    const std::shared_ptr<CallMarkers> markers_;
    const Report report_;
    const std::shared_ptr<CallWatch> strand_;
    std::array<std::atomic<std::uint64_t>, hook_count> escapes_{};
};

}  // namespace capstan::plugin_runtime::loop
