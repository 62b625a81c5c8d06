/// Carries out decisions on the nodes and pods of an API server.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "autoscaler/cluster_client.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/cluster_actions/evictions.hpp"
#include "kubernetes/client/cluster_actions/node_pods.hpp"
#include "kubernetes/client/cluster_actions/node_writes.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"

namespace capstan::autoscaler::daemon {

/// An Api that sends writes only while the gate is open. The gate is asked when a write leaves,
/// after its waits, and again at each retry.
class GatedApi final : public kubernetes::client::Api {
public:
    /// Borrows `api`.
    GatedApi(kubernetes::client::Api& api, plugin_runtime::instances::ChangeGate gate)
        : api_(api), gate_(std::move(gate)) {}

    RequestId send(kubernetes::client::ApiRequest request, Done done) override;
    RequestId stream(kubernetes::client::ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override { api_.cancel(id); }
    kubernetes::client::SuccessNotifier& success_notifier() override {
        return api_.success_notifier();
    }

private:
    kubernetes::client::Api& api_;
    const plugin_runtime::instances::ChangeGate gate_;
};

/// Asks the gate on the loop's thread: before a change or an eviction begins, and right before each
/// of its writes. [any thread], but constructed and destroyed on the loop's thread.
class ApiClusterClient final : public ClusterClient {
public:
    struct Options {
        plugin_runtime::instances::ChangeGate gate{};
        std::uint64_t seed = 0;
        /// See NodeWrites.
        std::function<void(const Error& refusal)> on_update_instead{};
        /// Called on the loop's thread when the recheck of a node finds pods that the decision did
        /// not know of.
        kubernetes::client::NodePods::OnUnknown on_unknown_pods{};
    };
    /// Borrows `api` and `loop`.
    ApiClusterClient(kubernetes::client::Api& api, io::Loop& loop, Options options);

    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes, RecheckDone done) override;
    void change(const engine::NodeChange& change, Done done) override;
    void evict(const engine::Eviction& eviction, Done done) override;

private:
    template <class Write>
    void when_open(Write write, Done done);

    io::Loop& loop_;
    const plugin_runtime::instances::ChangeGate gate_;
    GatedApi gated_;
    kubernetes::client::NodePods node_pods_;
    kubernetes::client::NodeWrites writes_;
    kubernetes::client::Evictions evictions_;
};

}  // namespace capstan::autoscaler::daemon
