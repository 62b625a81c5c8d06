/// Measures how long changes of soft taints take.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "autoscaler/cluster_client.hpp"
#include "io/loop.hpp"

namespace capstan::autoscaler {

/// Forwards every call to another client, and measures the time that soft taints take.
class SoftTaintTimer final : public ClusterClient {
public:
    /// Borrows `cluster` and `loop`.
    SoftTaintTimer(ClusterClient& cluster, io::Loop& loop);

    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                 RecheckDone done) override {
        cluster_.recheck(nodes, std::move(done));
    }
    void change(const engine::NodeChange& change, Done done) override;
    void evict(const engine::Eviction& eviction, Done done) override;

    /// From the start of the first change of a soft taint to the end of the last one. Absent:
    /// there was no such change, or one has not ended. [any thread]
    std::optional<Duration> took() const;

private:
    struct Times;
    ClusterClient& cluster_;
    io::Loop& loop_;
    std::shared_ptr<Times> times_;
};

}  // namespace capstan::autoscaler
