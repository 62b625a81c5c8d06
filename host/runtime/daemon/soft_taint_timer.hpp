/// How long it takes to tell nodes that they are to be avoided.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/loop.hpp"
#include "runtime/cluster_client.hpp"

namespace capstan::runtime::daemon {

/// Passes everything on.
class SoftTaintTimer final : public ClusterClient {
public:
    /// Borrows both.
    SoftTaintTimer(ClusterClient& cluster, io::Loop& loop);

    void look(const std::vector<engine::removal::NodeLook>& nodes, LookDone done) override {
        cluster_.look(nodes, std::move(done));
    }
    void change(const engine::NodeChange& change, Done done) override;
    void evict(const engine::Eviction& eviction, Done done) override;

    /// From the first soft taint that was set or taken off to the end of the last one; nothing:
    /// none was, or one has not come to its end. [any thread]
    std::optional<Duration> took() const;

private:
    struct Times;
    ClusterClient& cluster_;
    io::Loop& loop_;
    std::shared_ptr<Times> times_;
};

}  // namespace capstan::runtime::daemon
