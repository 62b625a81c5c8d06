/// Behind capstan.http/1: the HTTP requests of one instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/abi/service_http.h>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "config/pipeline.hpp"
#include "io/http_client.hpp"
#include "io/loop.hpp"
#include "io/tls_options.hpp"
#include "plugin_runtime/loop/pending_callbacks.hpp"
#include "plugin_runtime/services/metrics.hpp"
#include "plugin_runtime/services/operations.hpp"

namespace capstan::plugin_runtime::services {

// The certificate authorities and the client certificate of an instance's requests.

/// Reads the files again before a request, at most every ten seconds, so that a renewed certificate
/// is used without a restart. [any thread]
class TlsRenewal {
public:
    using ErrorCallback = std::function<void(const Error&)>;
    /// `on_error` is called when files that were valid can no longer be used; their last valid
    /// content stays in use.
    TlsRenewal(config::PluginTls files, ErrorCallback on_error)
        : files_(std::move(files)), on_error_(std::move(on_error)) {}

    /// Calls `use` if the files have changed. `now`: monotonic. Fails with the error of
    /// read_plugin_tls if the files have never been valid.
    Result<void> renew(Duration now, const std::function<void(const io::TlsOptions&)>& use);

private:
    Result<void> keep_old(const Error& error);

    const config::PluginTls files_;
    const ErrorCallback on_error_;
    std::mutex mutex_;
    std::optional<Duration> looked_{};
    std::optional<io::TlsOptions> known_{};
    std::optional<Error> trouble_{};
};

/// Sends requests to the hosts that the instance's grants name. A limited number of requests is
/// under way, each until the plugin is called with its result; the others wait in the order in
/// which they were sent. [any thread]
class PluginHttp : public std::enable_shared_from_this<PluginHttp> {
public:
    struct Options {
        std::string instance;
        std::vector<std::string> hosts;  ///< as Grants::http
        config::PluginTls tls{};
        /// Called when files of `tls` can no longer be used.
        TlsRenewal::ErrorCallback on_tls_error{};
    };
    /// `client` NULL: this host sends no requests. Borrows the loop.
    PluginHttp(Options options, std::shared_ptr<io::HttpClient> client, io::Loop& loop,
               std::shared_ptr<OperationTable> operations,
               std::shared_ptr<loop::PendingCallbacks> tasks,
               std::shared_ptr<InstanceMetrics> metrics);

    /// As capstan_http says.
    capstan_status send(const capstan_http_request* request, capstan_http_done done, void* user);
    /// Ends the requests made for `parent`.
    void cancel(capstan_op parent);
    void cancel_all();
    /// Destroys the client, which needs the loop; this object may outlive the loop. No request is
    /// sent any more.
    void retire();

private:
    struct Caller {
        capstan_http_done done = nullptr;
        void* user = nullptr;
    };
    /// A request that has passed all checks.
    struct Request {
        HttpRequest http;
        std::string granted;  ///< the grant that allows its host name
        capstan_op parent = 0;
        Duration deadline{};  ///< a point of the loop's monotonic time
        Caller caller{};
        io::TimerId timer = 0;  ///< its deadline while it waits; 0: it does not wait
    };
    struct UnderWay {
        Caller caller;
        std::string name, granted;
        capstan_op parent = 0;
        Duration began{};
        io::HttpClient::RequestId id = 0;  ///< 0: not handed to the client yet
        const char* cancelled = nullptr;   ///< the reason; NULL: it is not cancelled
        bool has_ended = false;            ///< and the plugin has not been called yet
    };
    Result<Request> prepare(const capstan_http_request& raw, Caller caller) const;
    Result<std::string> grant_of(const std::string& host) const;
    Result<void> check_room(std::size_t body) const;
    void wait(Request request);
    void start_waiting();
    void start(std::uint64_t key, Request request);
    std::shared_ptr<io::HttpClient> client() const;
    Result<void> renew_tls(io::HttpClient& client, Duration now, const std::string& name);
    void finish(std::uint64_t key, Result<HttpReply> result);
    void leave(std::uint64_t key);
    void give_up(std::uint64_t key);
    void refuse(Caller caller, Error error);
    void cancel_if(const std::function<bool(capstan_op parent)>& matches, const char* why);

    const Options options_;
    io::Loop& loop_;
    const std::shared_ptr<OperationTable> operations_;
    const std::shared_ptr<loop::PendingCallbacks> tasks_;
    const std::shared_ptr<InstanceMetrics> metrics_;
    TlsRenewal tls_;
    mutable std::mutex mutex_;
    std::shared_ptr<io::HttpClient> client_;  ///< NULL: no request is sent
    std::uint64_t last_key_ = 0;
    std::size_t refusals_ = 0;  ///< refused requests; their callbacks are still to be called
    std::map<std::uint64_t, Request> waiting_;
    std::map<std::uint64_t, UnderWay> under_way_;
};

}  // namespace capstan::plugin_runtime::services
