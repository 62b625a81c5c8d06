/// The cluster as all instances share it through capstan.kube/1: one client with its rate limit,
/// one memory of what the server serves, one budget of events.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/loop.hpp"
#include "kubernetes/client/discovery.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::runtime::services {

// An Api whose server is known later than its users: plugins start before the host is connected,
// and outlive its connection.

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

// Watches that plugins open before their host is connected to the cluster, as they do while they
// start.

/// They begin as soon as the host is connected, and no decision is to be made until each is
/// settled: its plugin has been told what there is, or why that cannot be known, or hears no more
/// of it. Watches that are opened later are not here, and no pass waits for them. Used on the
/// loop's thread alone.
class StartupWatches {
public:
    using Id = std::uint64_t;

    /// `what` names it to people, `begin` is called at the connection, unless it is settled by
    /// then.
    Id add(std::string what, std::function<void()> begin);
    /// The host is connected.
    void begin();
    /// Does nothing the second time.
    void settle(Id id);
    /// Names, in the order in which they were opened.
    std::vector<std::string> unsettled() const;

private:
    struct Watch {
        std::string what{};
        std::function<void()> begin{};  ///< NULL: it has begun
    };
    Id last_ = 0;
    std::map<Id, Watch> unsettled_;
};

/// Used on the loop's thread alone. Nothing is written while the gate is closed, where no plugin
/// can pass: in a dry run, and while another host leads; nor what was begun in another term than
/// the one that lasts.
class KubeGateway {
public:
    /// Borrows the loop.
    explicit KubeGateway(io::Loop& loop, kubernetes::client::EventRecorder::Options events = {})
        : api_(loop), discovery_(api_, loop), events_(api_, loop, std::move(events)) {}

    /// Borrows `api`, which calls back on this loop, until `disconnect`. Until then, and
    /// afterwards, requests end as `unavailable`. Watches that were opened before begin at once,
    /// in this call. See DeferredApiClient::WriteGate.
    void connect(kubernetes::client::Api& api, DeferredApiClient::WriteGate gate = {}) {
        api_.connect(api, std::move(gate));
        early_watches_.begin();
    }
    void disconnect() {
        set_term(0);
        api_.disconnect();
    }

    /// The term in which this host leads; 0: it does not.
    void set_term(std::uint64_t term) noexcept { term_ = term; }
    /// [any thread]
    std::uint64_t term() const noexcept { return term_; }

    DeferredApiClient& api() noexcept { return api_; }
    StartupWatches& early_watches() noexcept { return early_watches_; }
    const StartupWatches& early_watches() const noexcept { return early_watches_; }
    kubernetes::client::Discovery& discovery() noexcept { return discovery_; }
    kubernetes::client::EventRecorder& events() noexcept { return events_; }

private:
    std::atomic<std::uint64_t> term_ = 0;
    DeferredApiClient api_;
    StartupWatches early_watches_;
    kubernetes::client::Discovery discovery_;
    kubernetes::client::EventRecorder events_;
};

}  // namespace capstan::runtime::services
