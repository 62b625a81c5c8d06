/// Behind capstan.kube/1: the API server as one instance may use it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/abi/service_kube.h>

#include "config/kube_grant.hpp"
#include "plugin_runtime/loop/pending_callbacks.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"
#include "plugin_runtime/services/kube_requests.hpp"
#include "plugin_runtime/services/kube_watch.hpp"
#include "plugin_runtime/services/operations.hpp"

namespace capstan::plugin_runtime::services {

/// Sends requests that the instance's grants allow. [any thread]
class PluginKube : public std::enable_shared_from_this<PluginKube> {
public:
    struct Options {
        std::string instance{};
        std::vector<config::KubeGrant> grants{};
        std::size_t max_open = 64;  ///< requests
        std::size_t max_watches = 16;
        std::uint64_t seed = 0;
    };
    /// Borrows the loop. `gateway` NULL: this host has no cluster, and all calls are unsupported.
    PluginKube(Options options, std::shared_ptr<KubeGateway> gateway, io::Loop& loop,
               std::shared_ptr<OperationTable> operations,
               std::shared_ptr<loop::PendingCallbacks> tasks);

    // As capstan_kube says.
    capstan_status send(const capstan_kube_request* request, capstan_kube_done done, void* user);
    capstan_status resolve(capstan_str api_version, capstan_str kind, capstan_op parent,
                           capstan_kube_resolved done, void* user);
    capstan_status watch(const capstan_kube_watch* watch, capstan_kube_on_event on_event,
                         void* user, std::uint64_t* id);
    capstan_status unwatch(std::uint64_t id);
    capstan_status record(const capstan_kube_note* note);

    /// Cancels the requests that were made for the operation `parent`.
    void cancel(capstan_op parent);
    /// Cancels all requests and ends all watches.
    void cancel_all();

private:
    using Id = kubernetes::client::Api::RequestId;
    struct Open {
        capstan_op parent = 0;
        std::optional<Id> id{};  ///< absent: not handed to the Api yet, or answered without it
        std::function<void(const Error&)> fail{};
    };

    Result<KubeCall> prepare(const capstan_kube_request& raw) const;
    Result<KubeWatchTarget> prepare(const capstan_kube_watch& raw) const;
    Result<void> demand(const config::KubeAction& action) const;
    Result<void> demand_cluster() const;
    capstan_status accept(Open open, std::uint64_t& key);
    void start(std::uint64_t key, KubeCall call, capstan_kube_done done, void* user);
    /// False: the request is over already, and its callback was called.
    bool finish(std::uint64_t key, std::function<void()> report);
    void fail(std::uint64_t key, Error error);
    void cancel_if(const std::function<bool(const Open&)>& matches);
    void refuse_watch(Error error, KubeWatchFeed::Listener listener);
    void post(std::function<void()> on_loop);

    const Options options_;
    const std::shared_ptr<KubeGateway> gateway_;
    io::Loop& loop_;
    const std::shared_ptr<OperationTable> operations_;
    const std::shared_ptr<loop::PendingCallbacks> tasks_;
    std::mutex mutex_;
    std::uint64_t last_key_ = 0;
    std::map<std::uint64_t, Open> open_;
    std::map<std::uint64_t, std::shared_ptr<KubeWatchFeed>> watches_;
};

}  // namespace capstan::plugin_runtime::services
