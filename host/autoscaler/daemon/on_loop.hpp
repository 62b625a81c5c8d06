/// Runs functions on the loop's thread, and waits for their results on another thread.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/post.hpp>

#include <capstan/result.hpp>

#include "autoscaler/plugin_host.hpp"

namespace capstan::autoscaler::daemon {

/// Longer than anything on the loop takes: after so long the loop is considered lost.
inline constexpr Duration loop_patience = std::chrono::minutes(10);

/// Runs `work` on the loop's thread and returns its Result. `deadline`: the loop does not respond.
/// `work` must own or share what it uses, since it may run after this call has returned.
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

/// The same for work that ends with a callback: `begin(done)` is called on the loop's thread.
template <class T, class F>
Result<T> from_loop(PluginHost& host, F begin, Duration patience = loop_patience) {
    const auto shared = std::make_shared<F>(std::move(begin));
    return host.wait<T>(
        [&](const PluginHost::Done<T>& done) {
            boost::asio::post(host.loop().io(), [shared, done] { (*shared)(done); });
        },
        patience);
}

}  // namespace capstan::autoscaler::daemon
