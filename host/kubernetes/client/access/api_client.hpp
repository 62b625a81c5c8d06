/// The Api over the network: credentials, rate limit, deadlines, and resending where that is safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/http_client.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::kubernetes::client {

/// One attempt of a request, for metrics: sent, or ended while it waited for its turn. The views
/// are valid during the call alone.
struct ApiAttempt {
    std::string_view method{};
    std::string_view host{};  ///< with the port, if the server's URL has one
    std::string_view purpose{};
    int status = 0;                    ///< 0: no reply
    std::optional<ErrorCode> error{};  ///< of an attempt without a reply
    Duration latency{};                ///< from sending to the reply; of a stream, to its head
    Duration waited{};                 ///< for the rate limit, before sending
};

struct ApiClientOptions {
    /// "https://10.0.0.1:6443", with a path of its own behind a gateway:
    /// "https://rancher.example/k8s/clusters/c-1".
    std::string server{};
    std::string user_agent = "capstan";
    /// The rate limit; watches and Lease requests do not count. Requests with the purpose "node
    /// look" have a separate limit of the same size. 0 or less: no limit.
    double requests_per_second = 50;
    double burst = 100;
    /// For dry runs: a request that would change the cluster is not sent, and ends as `cancelled`.
    bool is_read_only = false;
    /// Called with a new client certificate before the first request that needs it. Later requests
    /// must use this certificate.
    std::function<void(const Credential&)> use_certificate{};
    std::function<void(const ApiAttempt&)> on_attempt{};
    /// A text of the server's Warning headers; each text once.
    std::function<void(const std::string& text)> on_warning{};
};

/// Used on the loop's thread alone. `http` must call back on the same thread.
class ApiClient final : public Api {
public:
    /// Borrows `http`, `loop` and `credentials`.
    ApiClient(io::HttpClient& http, io::Loop& loop, Credentials& credentials,
              ApiClientOptions options);
    ApiClient(const ApiClient&) = delete;
    ApiClient& operator=(const ApiClient&) = delete;
    /// Cancels all requests; no callback runs afterwards.
    ~ApiClient() override;

    /// See Api. The timeout includes the waits for credentials and for the rate limit.
    RequestId send(ApiRequest request, Done done) override;
    /// See Api. A stream is sent again only before its first part.
    RequestId stream(ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override;
    SuccessNotifier& success_notifier() override;
    /// From now on a request takes at most `most`, as before the end of the process. Requests that
    /// have begun end after that time from now at the latest. Streams are not limited after their
    /// head.
    void limit_timeouts(Duration most);

private:
    class Core;
    const std::shared_ptr<Core> core_;
};

}  // namespace capstan::kubernetes::client
