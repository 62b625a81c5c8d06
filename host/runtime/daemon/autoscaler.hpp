/// Passes on a live cluster: look at the cluster and the clouds, decide, carry out, remember.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "engine/pass/outcome.hpp"
#include "io/loop.hpp"
#include "runtime/clouds.hpp"
#include "runtime/cluster_client.hpp"
#include "runtime/config/configuration.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/pass_clock.hpp"

namespace capstan::runtime::daemon {

/// Measures the time that soft taints take. Forwards every call to another client.
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

/// [one thread], which is not the loop's unless the host runs on virtual time.
class Autoscaler {
public:
    struct Parts {
        PluginHost& host;
        ClusterClient& cluster;
        /// Waits for the present state of the cluster and returns it.
        std::function<Result<engine::snapshot::Cluster>()> look;
        /// See CallContext. Called after `look`, after the refresh of the clouds, and before the
        /// decision is carried out. NULL: the cluster is always observed.
        std::function<std::string()> unobserved_because{};
        /// Called after the decision. On an error the decision is not carried out.
        std::function<Result<void>()> may_act;
        /// Persists the memory for the next start, waits until it is written, and logs errors
        /// itself.
        std::function<void(const engine::Memory&)> keep;
        instances::ChangeGate gate{};  ///< see CloudClient
        /// Called by any thread at a late answer of a cloud, or at the end of an action that a pass
        /// did not wait for. NULL: answers and results wait for the next pass.
        std::function<void()> on_late_answer{};
        std::uint64_t seed = 0;
        bool dry_run = false;
        /// Each call is waited for until its deadline, because there is no next pass.
        bool waits_for_clouds = false;
    };
    /// `internal`: the configuration names an instance that is not there.
    static Result<std::unique_ptr<Autoscaler>> make(const config::Config& config, Parts parts);
    Autoscaler(const Autoscaler&) = delete;
    Autoscaler& operator=(const Autoscaler&) = delete;

    /// Uses [pipeline], [scale_up], [scale_down] and [limits] of `config` from the next pass on.
    /// After an error nothing has changed.
    Result<void> apply_config(const config::Config& config);
    /// Instances that have started by now take part from the next pass on.
    Result<void> join(const std::vector<std::shared_ptr<instances::PluginInstance>>& instances);
    /// Sets the memory that the next pass begins with, without the back-offs of clouds, because
    /// their causes may have been repaired.
    void begin(engine::Memory memory);

    /// Makes one pass. After a pass whose decision was dropped, the memory has only gained the
    /// results of refreshes and of earlier actions. The error: the pass could not be decided, and
    /// nothing was done. From then on until a pass succeeds, the cluster counts as not observed.
    Result<std::shared_ptr<const PassReport>> run();

    /// When the last pass asks for the next one; absent: it does not ask.
    const std::optional<Time>& wake_at() const noexcept { return wake_at_; }
    std::vector<std::shared_ptr<instances::PluginInstance>> clouds() const {
        return clouds_->instances();
    }

private:
    explicit Autoscaler(Parts parts)
        : parts_(std::move(parts)), clock_(parts_.host.loop().clock()) {}
    Duration now() const { return parts_.host.loop().monotonic(); }
    std::string unobserved_because() const {
        return parts_.unobserved_because ? parts_.unobserved_because() : std::string();
    }
    CloudsView look_at_clouds();
    void begin_under_way();
    std::vector<ActionsUnderWay::Ended> remember_ended();
    Result<std::shared_ptr<PassReport>> look();
    Result<std::shared_ptr<PassReport>> plan();
    void act(PassReport& report);

    Parts parts_;
    PassClock clock_;
    engine::Settings settings_{};
    config::Pipeline pipeline_{};
    Wiring wiring_{};
    std::shared_ptr<Clouds> clouds_{};
    std::shared_ptr<ActionsUnderWay> under_way_{};
    Duration action_patience_{};
    engine::Memory memory_{};
    std::optional<Time> wake_at_{};
    FilledGroups groups_{};  ///< of the last pass
    instances::PassThread thread_{};
};

}  // namespace capstan::runtime::daemon
