/// An Api whose server is known later than its users: plugins start before the host is connected,
/// and outlive its connection.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"

namespace capstan::runtime::services {

/// Without a connection every request ends as `unavailable`. Used on the loop's thread alone.
class DeferredApiClient final : public kubernetes::client::Api {
public:
    /// Borrows the loop.
    explicit DeferredApiClient(io::Loop& loop) : loop_(loop) {}

    /// Asked before a request is sent that would change the cluster, and again right before it
    /// leaves; an error: it may not, because of that, and ends as that. NULL: it always may.
    using WriteGate = std::function<Result<void>()>;

    /// Borrows `api` until `disconnect`.
    void connect(kubernetes::client::Api& api, WriteGate gate = {}) {
        api_ = &api;
        gate_ = std::move(gate);
    }
    bool is_connected() const noexcept { return api_ != nullptr; }
    /// What a request ends as while there is no connection.
    static Error not_connected();
    /// What is open ends as `cancelled`.
    void disconnect();

    RequestId send(kubernetes::client::ApiRequest request, Done done) override;
    RequestId stream(kubernetes::client::ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override;
    /// Of the connection there is; without one it never rings. Subscriptions stay with the bell
    /// that they were made at when the connection changes.
    kubernetes::client::AnswerBell& answer_bell() override {
        return api_ != nullptr ? api_->answer_bell() : unconnected_bell_;
    }

private:
    struct Open {
        RequestId id = 0;  ///< of the server's
        Done done{};
    };
    RequestId refuse(const kubernetes::client::ApiRequest& request, Done done, Error why);
    /// Why it is not sent; nothing: it is.
    std::optional<Error> find_obstacle(const kubernetes::client::ApiRequest& request) const;
    Result<void> ask_gates(const kubernetes::client::ApiRequest& request) const;
    void guard(kubernetes::client::ApiRequest& request) const;
    Done finish_with(RequestId key);
    void later(Done done, Error error);

    io::Loop& loop_;
    kubernetes::client::Api* api_ = nullptr;
    kubernetes::client::AnswerBell unconnected_bell_{};
    WriteGate gate_{};
    RequestId last_ = 0;
    std::map<RequestId, Open> open_;
};

}  // namespace capstan::runtime::services
