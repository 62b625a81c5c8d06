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

/// Used on the loop's thread alone. Nothing is written while the gate is closed, where no plugin
/// can pass: in a dry run, and while another host leads.
class KubeGateway {
public:
    /// Borrows the loop.
    explicit KubeGateway(io::Loop& loop, kubernetes::EventRecorder::Options events = {})
        : api_(loop), discovery_(api_, loop), events_(api_, loop, std::move(events)) {}

    /// Borrows `api`, which calls back on this loop, until `disconnect`. Until then, and
    /// afterwards, requests end as `unavailable`, and watches try again. See LateApi::WriteGate.
    void connect(kubernetes::Api& api, LateApi::WriteGate gate = {}) {
        api_.connect(api, std::move(gate));
    }
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
