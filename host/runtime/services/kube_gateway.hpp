/// The cluster as all instances share it through capstan.kube/1: one client with its rate limit,
/// one memory of what the server serves, one budget of events.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"
#include "kubernetes/client/discovery.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/services/deferred_api_client.hpp"
#include "runtime/services/startup_watches.hpp"

namespace capstan::runtime::services {

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
