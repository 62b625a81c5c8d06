/// The cluster of an API server, as decisions are carried out on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/loop.hpp"
#include "kubernetes/client/writes/evictions.hpp"
#include "kubernetes/client/writes/node_writes.hpp"
#include "runtime/cluster_client.hpp"
#include "runtime/instances/cloud_client.hpp"

namespace capstan::runtime {

/// Asks the gate on the loop's thread, right before each write. [any thread] but for making and
/// ending it, which is done on the loop's.
class ApiClusterClient final : public ClusterClient {
public:
    struct Options {
        ChangeGate gate{};
        std::uint64_t seed = 0;
        /// See NodeWrites.
        std::function<void(const Error& refusal)> on_update_instead{};
    };
    /// Borrows both.
    ApiClusterClient(kubernetes::Api& api, io::Loop& loop, Options options);

    void change(const engine::NodeChange& change, Done done) override;
    void evict(const engine::Eviction& eviction, Done done) override;

private:
    template <class Write>
    void when_open(Write write, Done done);

    io::Loop& loop_;
    const ChangeGate gate_;
    kubernetes::NodeWrites writes_;
    kubernetes::Evictions evictions_;
};

}  // namespace capstan::runtime
