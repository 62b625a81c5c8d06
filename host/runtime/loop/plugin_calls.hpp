/// The one way into a plugin's instance.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/loop/breadcrumbs.hpp"
#include "runtime/loop/call_watch.hpp"
#include "runtime/loop/guarded_call.hpp"
#include "runtime/loop/plugin_time.hpp"

namespace capstan::runtime::loop {

/// Every call into an instance goes through its `call`: it leaves a crumb on the trail, counts as
/// the plugin's time, and lets no exception out. [any thread]
class PluginCalls {
public:
    /// Told of what no plugin may do: "filter let an exception out: through C". Must not throw.
    using Report = std::function<void(Hook hook, const std::string& sentence)>;

    /// Without a report it is silent. `strand` watches calls on the instance's thread; NULL: one of
    /// its own.
    explicit PluginCalls(std::shared_ptr<CallMarkers> trail, Report report = {},
                         std::shared_ptr<CallWatch> strand = {})
        : trail_(std::move(trail)),
          report_(std::move(report)),
          strand_(strand ? std::move(strand) : std::make_shared<CallWatch>(CallWatch::Options{})) {}
    PluginCalls(const PluginCalls&) = delete;
    PluginCalls& operator=(const PluginCalls&) = delete;

    /// What `body` gives, see call_guarded; an exception that came out is reported, the first one
    /// of a hook and then each that makes a power of ten. The crumb of a call that takes the
    /// process along stays.
    template <class F>
    auto call(Hook hook, F&& body) -> Result<std::invoke_result_t<F>> {
        trail_->enter(hook);
        auto result = call_guarded(
            [&] {
                const PluginTime::Inside inside;
                return std::forward<F>(body)();
            },
            [&] { tell_thread_end(hook); });
        trail_->leave(hook);
        if (!result) tell_escape(hook, result.error().message);
        return result;
    }

    /// The same for a call on the instance's own thread, which is watched while it lasts.
    template <class F>
    auto call_on_strand(Hook hook, F&& body) -> Result<std::invoke_result_t<F>> {
        const StrandCall watched(*strand_, *trail_, hook);
        return call(hook, std::forward<F>(body));
    }

private:
    void tell_escape(Hook hook, const std::string& what);
    void tell_thread_end(Hook hook) const;

    const std::shared_ptr<CallMarkers> trail_;
    const Report report_;
    const std::shared_ptr<CallWatch> strand_;
    std::array<std::atomic<std::uint64_t>, hook_count> escapes_{};
};

}  // namespace capstan::runtime::loop
