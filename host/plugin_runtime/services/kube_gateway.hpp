/// The API server as all instances share it behind capstan.kube/1: one client with its rate limit,
/// one cache of the kinds that the server serves, one budget of Events.
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

namespace capstan::plugin_runtime::services {

// An Api that is connected to its server later than it is used: plugins start before the host is
// connected, and outlive its connection.

/// Without a connection every request ends as `unavailable`. Used on the loop's thread alone.
class DeferredApiClient final : public kubernetes::client::Api {
public:
    /// Borrows the loop.
    explicit DeferredApiClient(io::Loop& loop) : loop_(loop) {}

    /// Called for a request that would change the cluster, before it is sent and again right before
    /// it leaves. On an error the request is not sent and ends with that error. NULL: every request
    /// is allowed.
    using WriteGate = std::function<Result<void>()>;

    /// Borrows `api` until `disconnect`.
    void connect(kubernetes::client::Api& api, WriteGate gate = {}) {
        api_ = &api;
        gate_ = std::move(gate);
    }
    bool is_connected() const noexcept { return api_ != nullptr; }
    /// The error of a request while there is no connection.
    static Error not_connected();
    /// Open requests end as `cancelled`.
    void disconnect();

    RequestId send(kubernetes::client::ApiRequest request, Done done) override;
    RequestId stream(kubernetes::client::ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override;
    /// The notifier of the present connection; without a connection it never notifies. After a
    /// change of the connection, older subscriptions stay with the notifier where they were made.
    kubernetes::client::SuccessNotifier& success_notifier() override {
        return api_ != nullptr ? api_->success_notifier() : unconnected_notifier_;
    }

private:
    struct Open {
        RequestId id = 0;  ///< of the connected Api
        Done done{};
    };
    RequestId refuse(const kubernetes::client::ApiRequest& request, Done done, Error why);
    /// Why the request is not sent; absent: it may be sent.
    std::optional<Error> find_obstacle(const kubernetes::client::ApiRequest& request) const;
    Result<void> ask_gates(const kubernetes::client::ApiRequest& request) const;
    void guard(kubernetes::client::ApiRequest& request) const;
    Done finish_with(RequestId key);
    void later(Done done, Error error);

    io::Loop& loop_;
    kubernetes::client::Api* api_ = nullptr;
    kubernetes::client::SuccessNotifier unconnected_notifier_{};
    WriteGate gate_{};
    RequestId last_ = 0;
    std::map<RequestId, Open> open_;
};

// Watches that plugins open before their host is connected to the cluster, for example while they
// start.

/// These watches begin as soon as the host is connected, and no decision is made until each is
/// settled: its plugin has got all objects or an error that lasts, or the watch has ended. Watches
/// that are opened later are not included, and no pass waits for them. Used on the loop's thread
/// alone.
class StartupWatches {
public:
    using Id = std::uint64_t;

    /// `what` is its name in messages. `begin` is called when the host is connected, unless the
    /// watch is settled by then.
    Id add(std::string what, std::function<void()> begin);
    /// The host is connected.
    void begin();
    /// Does nothing the second time.
    void settle(Id id);
    /// The names of watches that are not settled, in the order in which they were opened.
    std::vector<std::string> unsettled() const;

private:
    struct Watch {
        std::string what{};
        std::function<void()> begin{};  ///< NULL: it has begun
    };
    Id last_ = 0;
    std::map<Id, Watch> unsettled_;
};

/// A write is sent only while the gate is open, so not in a dry run and not while another host
/// leads, and only in the term in which its operation began. Used on the loop's thread alone.
class KubeGateway {
public:
    /// Borrows the loop.
    explicit KubeGateway(io::Loop& loop, kubernetes::client::EventRecorder::Options events = {})
        : api_(loop), discovery_(api_, loop), events_(api_, loop, std::move(events)) {}

    /// Borrows `api`, which calls back on this loop, until `disconnect`. Requests before `connect`
    /// and after `disconnect` end as `unavailable`. Startup watches begin inside this call. `gate`:
    /// see DeferredApiClient::WriteGate.
    void connect(kubernetes::client::Api& api, DeferredApiClient::WriteGate gate = {}) {
        api_.connect(api, std::move(gate));
        early_watches_.begin();
    }
    void disconnect() {
        set_term(0);
        api_.disconnect();
    }

    /// The term in which this host leads; 0: it does not lead.
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

}  // namespace capstan::plugin_runtime::services
