/// Passes on a live cluster: look, decide, carry out, remember.
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

// How long it takes to tell nodes that they are to be avoided.

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

/// [one thread] which is not the loop's, unless the host lives on virtual time.
class Autoscaler {
public:
    struct Parts {
        PluginHost& host;
        ClusterClient& cluster;
        /// The cluster as it is now; waits for it.
        std::function<Result<engine::snapshot::Cluster>()> look;
        /// See CallContext. Asked when the cluster has been looked at, when the clouds have, and
        /// when the decision is to be carried out; NULL: a pass is never blind.
        std::function<std::string()> unobserved_because{};
        /// Asked once a decision is there; an error: it must not be carried out any more.
        std::function<Result<void>()> may_act;
        /// Keeps what the next start is to know; waits for it, and says itself what goes wrong.
        std::function<void(const engine::Memory&)> keep;
        instances::ChangeGate gate{};  ///< see CloudClient
        /// Called by any thread when a cloud answers that a pass went on without; NULL: the answer
        /// waits for the next pass.
        std::function<void()> on_late_answer{};
        std::uint64_t seed = 0;
        bool dry_run = false;
        /// Each call is waited for until its deadline, for there is no next pass.
        bool waits_for_clouds = false;
    };
    /// `internal`: the configuration names an instance that is not there.
    static Result<std::unique_ptr<Autoscaler>> make(const config::Config& config, Parts parts);
    Autoscaler(const Autoscaler&) = delete;
    Autoscaler& operator=(const Autoscaler&) = delete;

    /// What [pipeline], [scale_up], [scale_down] and [limits] say counts from the next pass on.
    /// After an error nothing has changed.
    Result<void> take_over(const config::Config& config);
    /// Instances of the configuration that run by now take part from the next pass on.
    Result<void> join(const std::vector<std::shared_ptr<instances::PluginInstance>>& instances);
    /// The memory that the next pass begins with. Clouds that rest are asked once more: what they
    /// rest for may have been mended.
    void begin(engine::Memory memory);

    /// A pass that was dropped has remembered nothing. The error: it could not be decided, and
    /// nothing has been done; the time from then on until a pass succeeds counts as time in which
    /// the cluster was not seen.
    Result<std::shared_ptr<const PassReport>> run();

    /// Whether the last pass asks for the next one, and when.
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
