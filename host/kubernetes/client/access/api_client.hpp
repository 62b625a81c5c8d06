/// The network's Api: requests with credentials, within a rate, and sent again where that is safe.
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

/// One request as it was sent, or as it ended while it waited its turn. Lent for the call.
struct ApiAttempt {
    std::string_view method{};
    std::string_view host{};  ///< with the port, where the server's URL has one
    std::string_view purpose{};
    int status = 0;                    ///< 0: no reply
    std::optional<ErrorCode> error{};  ///< of an attempt without a reply
    Duration latency{};                ///< until the reply was here, of a stream its head
    Duration waited{};                 ///< for the rate limit, before it was sent
};

struct ApiClientOptions {
    /// "https://10.0.0.1:6443", with a path of its own behind a gateway:
    /// "https://rancher.example/k8s/clusters/c-1".
    std::string server{};
    std::string user_agent = "capstan";
    /// Requests other than watches and the Lease's; looks at nodes before they are removed have as
    /// much again. No more than 0: as many as are asked for.
    double requests_per_second = 50;
    double burst = 100;
    /// For dry runs: what would change the cluster ends as `cancelled` instead of being sent.
    bool is_read_only = false;
    /// Another client certificate than the last time is due, before it is first needed: what is
    /// sent from now on has to use it.
    std::function<void(const Credential&)> use_certificate{};
    std::function<void(const ApiAttempt&)> on_attempt{};
    /// What the server's Warning headers say, each text once.
    std::function<void(const std::string& text)> on_warning{};
};

/// Used on the loop's thread alone, on which `http` has to call back, too.
class ApiClient final : public Api {
public:
    /// Borrows all three.
    ApiClient(io::HttpClient& http, io::Loop& loop, Credentials& credentials,
              ApiClientOptions options);
    ApiClient(const ApiClient&) = delete;
    ApiClient& operator=(const ApiClient&) = delete;
    /// Cancels what is open; no callback runs afterwards.
    ~ApiClient() override;

    /// As Api says. The timeout includes waiting for credentials and for the rate limit.
    RequestId send(ApiRequest request, Done done) override;
    /// Sent again as in `send`, but only before the first part.
    RequestId stream(ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override;
    AnswerBell& answer_bell() override;

private:
    class Core;
    const std::shared_ptr<Core> core_;
};

}  // namespace capstan::kubernetes::client
