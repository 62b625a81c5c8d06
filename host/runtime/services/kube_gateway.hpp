/// The cluster as all instances share it through capstan.kube/1: one client with its rate limit,
/// one memory of what the server serves, one budget of events.
#pragma once

#include <utility>

#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"
#include "kubernetes/client/discovery.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/services/late_api.hpp"

namespace capstan::runtime {

/// Used on the loop's thread alone. That nothing is written in a dry run is the Api's to enforce,
/// where no plugin can pass.
class KubeGateway {
public:
    /// Borrows the loop.
    explicit KubeGateway(io::Loop& loop, kubernetes::EventRecorder::Options events = {})
        : api_(loop), discovery_(api_, loop), events_(api_, loop, std::move(events)) {}

    /// Borrows `api`, which calls back on this loop, until `disconnect`. Until then, and
    /// afterwards, requests end as `unavailable`, and watches try again.
    void connect(kubernetes::Api& api) noexcept { api_.connect(api); }
    void disconnect() { api_.disconnect(); }

    kubernetes::Api& api() noexcept { return api_; }
    kubernetes::Discovery& discovery() noexcept { return discovery_; }
    kubernetes::EventRecorder& events() noexcept { return events_; }

private:
    LateApi api_;
    kubernetes::Discovery discovery_;
    kubernetes::EventRecorder events_;
};

}  // namespace capstan::runtime
