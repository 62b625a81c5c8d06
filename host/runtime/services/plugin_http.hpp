/// The requests of one instance, behind capstan.http/1.
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

#include "io/http_client.hpp"
#include "io/loop.hpp"
#include "io/tls_options.hpp"
#include "runtime/config/pipeline.hpp"
#include "runtime/loop/pending_callbacks.hpp"
#include "runtime/services/metrics.hpp"
#include "runtime/services/operations.hpp"

namespace capstan::runtime::services {

// The authorities and the client certificate of an instance's requests, as their files are now.

/// Reads the files again before a request, at most every ten seconds, so that a renewed certificate
/// counts without a restart. [any thread]
class TlsRenewal {
public:
    using OnTrouble = std::function<void(const Error&)>;
    /// `on_trouble` is told when files that were fine can no longer be used; what they held before
    /// goes on to count.
    TlsRenewal(config::PluginTls files, OnTrouble on_trouble)
        : files_(std::move(files)), on_trouble_(std::move(on_trouble)) {}

    /// `now`: monotonic. Calls `use` with what is new, if anything is. The error of
    /// read_plugin_tls: the files have never been fine.
    Result<void> renew(Duration now, const std::function<void(const io::TlsOptions&)>& use);

private:
    Result<void> keep_old(const Error& error);

    const config::PluginTls files_;
    const OnTrouble on_trouble_;
    std::mutex mutex_;
    std::optional<Duration> looked_{};
    std::optional<io::TlsOptions> known_{};
    std::optional<Error> trouble_{};
};

/// Lets through what the instance's grants name. A part of the requests is under way, until the
/// instance has been told of their end; the others wait in the order in which they were sent. [any
/// thread]
class PluginHttp : public std::enable_shared_from_this<PluginHttp> {
public:
    struct Options {
        std::string instance;
        std::vector<std::string> hosts;  ///< as Grants::http
        config::PluginTls tls{};
        /// Told of files of `tls` that can no longer be used.
        TlsRenewal::OnTrouble on_tls_trouble{};
    };
    /// `client`: NULL: this host sends nothing. Borrows the loop.
    PluginHttp(Options options, std::shared_ptr<io::HttpClient> client, io::Loop& loop,
               std::shared_ptr<OperationTable> operations,
               std::shared_ptr<loop::PendingCallbacks> tasks,
               std::shared_ptr<InstanceMetrics> metrics);

    /// As capstan_http says.
    capstan_status send(const capstan_http_request* request, capstan_http_done done, void* user);
    /// Ends the requests made for `parent`.
    void cancel(capstan_op parent);
    void cancel_all();
    /// Lets the client go, which needs the loop, and this may outlive it: nothing is sent any more.
    void retire();

private:
    struct Caller {
        capstan_http_done done = nullptr;
        void* user = nullptr;
    };
    /// A request that keeps every rule.
    struct Request {
        HttpRequest http;
        std::string granted;  ///< the grant that its host name has
        capstan_op parent = 0;
        Duration deadline{};  ///< a point of the loop's monotonic time
        Caller caller{};
        io::TimerId timer = 0;  ///< 0: it does not wait
    };
    struct UnderWay {
        Caller caller;
        std::string name, granted;
        capstan_op parent = 0;
        Duration began{};
        io::HttpClient::RequestId id = 0;  ///< 0: on its way to the client
        const char* cancelled = nullptr;   ///< why; NULL: it is not
        bool has_ended = false;            ///< and waits for the strand
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
    std::shared_ptr<io::HttpClient> client_;  ///< NULL: nothing is sent
    std::uint64_t last_key_ = 0;
    std::size_t refusals_ = 0;  ///< not sent, and the instance has not been told yet
    std::map<std::uint64_t, Request> waiting_;
    std::map<std::uint64_t, UnderWay> under_way_;
};

}  // namespace capstan::runtime::services
