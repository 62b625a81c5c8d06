/// The cluster as all instances share it through capstan.kube/1: one client with its rate limit,
/// one memory of what the server serves, one budget of events.
#pragma once

#include <memory>
#include <utility>

#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"
#include "kubernetes/client/discovery.hpp"
#include "kubernetes/client/event_recorder.hpp"

namespace capstan::runtime {

/// Used on the loop's thread alone, and destroyed before the loop. That nothing is written in a dry
/// run is the Api's to enforce, where no plugin can pass.
class KubeGateway {
public:
    /// Borrows the loop, which is the one that `api` calls back on.
    KubeGateway(std::shared_ptr<kubernetes::Api> api, io::Loop& loop,
                kubernetes::EventRecorder::Options events = {});

    kubernetes::Api& api() noexcept { return *api_; }
    kubernetes::Discovery& discovery() noexcept { return discovery_; }
    kubernetes::EventRecorder& events() noexcept { return events_; }

private:
    const std::shared_ptr<kubernetes::Api> api_;
    kubernetes::Discovery discovery_;
    kubernetes::EventRecorder events_;
};

}  // namespace capstan::runtime
