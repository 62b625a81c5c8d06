/// One watch of one instance: carries its events from the loop's thread to the instance's strand,
/// through a queue with a limit.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/abi/service_kube.h>
#include <capstan/error.hpp>

#include "kubernetes/client/watch/object_watch.hpp"
#include "plugin_runtime/loop/pending_callbacks.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"
#include "plugin_runtime/services/kube_requests.hpp"

namespace capstan::plugin_runtime::services {

/// [any thread] unless a function says otherwise.
class KubeWatchFeed : public std::enable_shared_from_this<KubeWatchFeed> {
public:
    struct Listener {
        capstan_kube_on_event on_event = nullptr;
        void* user = nullptr;
    };
    /// Borrows the loop. `tasks` has accepted one callback already: the last one,
    /// CAPSTAN_KUBE_ENDED.
    KubeWatchFeed(std::shared_ptr<KubeGateway> gateway, io::Loop& loop,
                  std::shared_ptr<loop::PendingCallbacks> tasks, KubeWatchTarget what,
                  Listener listener, std::uint64_t seed);

    /// Once.
    void start();
    /// Drops queued events and calls the plugin with CAPSTAN_KUBE_ENDED, the accepted callback.
    /// Later calls do nothing.
    void end();

private:
    struct WatchEvent {
        std::int32_t type = 0;
        std::string object{};
        std::optional<Error> error{};
    };

    // On the loop's thread.
    void open();
    void begin();
    void settle();
    void take(kubernetes::client::ObjectWatch::Change change, const boost::json::object& object);
    void enqueue(WatchEvent event);

    void schedule();
    /// On the strand.
    void deliver();
    std::optional<WatchEvent> next();
    void call(const WatchEvent& queued) const;

    const std::shared_ptr<KubeGateway> gateway_;
    io::Loop& loop_;
    const std::shared_ptr<loop::PendingCallbacks> tasks_;
    const KubeWatchTarget what_;
    const Listener listener_;
    const std::uint64_t seed_;
    // The loop's thread alone.
    /// NULL: the watch has not begun, or is over.
    std::unique_ptr<kubernetes::client::ObjectWatch> watch_;
    std::optional<StartupWatches::Id> early_{};

    std::mutex mutex_;
    std::deque<WatchEvent> queue_;
    bool is_scheduled_ = false;
    bool is_paused_ = false;
    bool has_ended_ = false;
};

}  // namespace capstan::plugin_runtime::services
