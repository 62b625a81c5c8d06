/// The cluster of an API server, as decisions are carried out on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/watch/node_pods.hpp"
#include "kubernetes/client/writes/evictions.hpp"
#include "kubernetes/client/writes/node_writes.hpp"
#include "runtime/cluster_client.hpp"
#include "runtime/instances/cloud_client.hpp"

namespace capstan::runtime::daemon {

/// An Api whose writes leave only while the gate is open: it is asked when they do, after whatever
/// they waited for, and each time that they are sent.
class GatedApi final : public kubernetes::client::Api {
public:
    /// Borrows `api`.
    GatedApi(kubernetes::client::Api& api, instances::ChangeGate gate)
        : api_(api), gate_(std::move(gate)) {}

    RequestId send(kubernetes::client::ApiRequest request, Done done) override;
    RequestId stream(kubernetes::client::ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override { api_.cancel(id); }
    kubernetes::client::AnswerBell& answer_bell() override { return api_.answer_bell(); }

private:
    kubernetes::client::Api& api_;
    const instances::ChangeGate gate_;
};

/// Asks the gate on the loop's thread: before it begins with a change, and right before each of its
/// writes. [any thread] but for making and ending it, which is done on the loop's.
class ApiClusterClient final : public ClusterClient {
public:
    struct Options {
        instances::ChangeGate gate{};
        std::uint64_t seed = 0;
        /// See NodeWrites.
        std::function<void(const Error& refusal)> on_update_instead{};
        /// A look at a node found pods that the decision did not know. Told on the loop's thread.
        kubernetes::client::NodePods::OnUnknown on_unknown_pods{};
    };
    /// Borrows both.
    ApiClusterClient(kubernetes::client::Api& api, io::Loop& loop, Options options);

    void look(const std::vector<engine::removal::NodeLook>& nodes, LookDone done) override;
    void change(const engine::NodeChange& change, Done done) override;
    void evict(const engine::Eviction& eviction, Done done) override;

private:
    template <class Write>
    void when_open(Write write, Done done);

    io::Loop& loop_;
    const instances::ChangeGate gate_;
    GatedApi gated_;
    kubernetes::client::NodePods node_pods_;
    kubernetes::client::NodeWrites writes_;
    kubernetes::client::Evictions evictions_;
};

}  // namespace capstan::runtime::daemon
