/// Work for the thread that runs the host's loop, waited for by another.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/post.hpp>

#include <capstan/result.hpp>

#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

/// Longer than anything takes that runs on the loop: a wait that gets this far has lost the loop.
inline constexpr Duration loop_patience = std::chrono::minutes(10);

/// What `work`, which gives a Result, comes to on the loop's thread. `deadline`: the loop does not
/// answer. `work` must own what it uses, or share it, for it may be run later than this returns.
template <class F>
std::invoke_result_t<F> on_loop(PluginHost& host, F work) {
    using Value = typename std::invoke_result_t<F>::value_type;
    const auto shared = std::make_shared<F>(std::move(work));
    return host.wait<Value>(
        [&](const PluginHost::Done<Value>& done) {
            boost::asio::post(host.loop().io(), [shared, done] { done((*shared)()); });
        },
        loop_patience);
}

/// The same for work that ends by a callback: `begin(done)` is called on the loop's thread.
template <class T, class F>
Result<T> from_loop(PluginHost& host, F begin, Duration patience = loop_patience) {
    const auto shared = std::make_shared<F>(std::move(begin));
    return host.wait<T>(
        [&](const PluginHost::Done<T>& done) {
            boost::asio::post(host.loop().io(), [shared, done] { (*shared)(done); });
        },
        patience);
}

}  // namespace capstan::runtime::daemon
