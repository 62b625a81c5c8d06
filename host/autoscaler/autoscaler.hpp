/// The loop of the autoscaler, on a live cluster and in a simulation: refresh the clouds, look at
/// the cluster, decide, carry out, remember.
///
/// A pass that sees what the last one saw would decide the same: nothing. Such a pass is skipped
/// after the look at the cluster. It is not skipped if the last pass asked for anything, failed,
/// skipped a hook of a plugin, or wanted to run again by now; the engine tells when time alone
/// changes an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/clouds.hpp"
#include "autoscaler/cluster_client.hpp"
#include "autoscaler/pass_clock.hpp"
#include "autoscaler/pass_report.hpp"
#include "autoscaler/pass_visitor.hpp"
#include "config/configuration.hpp"
#include "engine/pass/outcome.hpp"
#include "io/loop.hpp"

namespace capstan::autoscaler {

/// What a memory that is to be kept contains.
enum class MemoryStage : std::uint8_t {
    /// A decision that is about to be carried out. A start that does not know of it loses nothing.
    decided,
    /// A decision that is about to be carried out. After a crash the next start has to know of it:
    /// what new nodes are for, and why a target was decreased.
    planned,
    /// The results of the decision.
    results,
};

/// [one thread], which is not the loop's unless the host runs on virtual time.
class Autoscaler {
public:
    struct Parts {
        PluginHost& host;
        ClusterClient& cluster;
        /// Waits for the present state of the cluster and returns it. Called after the refresh of
        /// the clouds.
        std::function<Result<engine::snapshot::Cluster>()> look;
        /// See CallContext. Called after `look`, and before the decision is carried out. NULL: the
        /// cluster is always observed.
        std::function<std::string()> unobserved_because{};
        /// Called after the decision. On an error the decision is not carried out.
        std::function<Result<void>()> may_act;
        /// Persists the memory for the next start, waits until it is written, and logs errors
        /// itself. It may skip a decided stage. After an error the decision orders nothing and
        /// begins no removal; the next pass tries again.
        std::function<Result<void>(const engine::Memory&, MemoryStage)> keep;
        plugin_runtime::instances::ChangeGate gate{};  ///< see CloudClient
        /// Called by any thread at a late answer of a cloud, or at the end of an action that a pass
        /// did not wait for. NULL: answers and results wait for the next pass.
        std::function<void()> on_late_answer{};
        /// Called before a pass is skipped: whether it must run. NULL: it need not.
        std::function<bool()> wants_pass{};
        /// For how long passes are skipped at most, because plugins may have changes of their own;
        /// 0: none is skipped.
        Duration skips_for{0};
        /// NULL: autoscaler::decide.
        std::function<Result<PassResult>(const PassInput&, plugin_runtime::instances::PassThread&)>
            decide{};
        PassVisitor* visitor = nullptr;  ///< NULL: none
        std::uint64_t seed = 0;
        bool dry_run = false;
        bool simulation = false;  ///< see CallContext
        /// Each refresh is waited for until its deadline, because there is no next pass.
        bool waits_for_clouds = false;
        /// Each action is waited for until its deadline.
        bool waits_for_actions = false;
    };
    /// `internal`: the configuration names an instance that is not there.
    static Result<std::unique_ptr<Autoscaler>> make(const config::Config& config, Parts parts);
    Autoscaler(const Autoscaler&) = delete;
    Autoscaler& operator=(const Autoscaler&) = delete;

    /// Uses [pipeline], [scale_up], [scale_down] and [limits] of `config` from the next pass on.
    /// After an error nothing has changed.
    Result<void> apply_config(const config::Config& config);
    /// Instances that have started by now take part from the next pass on.
    Result<void> join(
        const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>& instances);
    /// Sets the memory that the next pass begins with, without the back-offs of clouds, because
    /// their causes may have been repaired.
    void begin(engine::Memory memory);

    /// Makes one pass. After a pass whose decision was dropped, the memory has only gained the
    /// results of refreshes and of earlier actions. NULL: the pass was skipped. The error: the pass
    /// could not be decided, and nothing was done. From then on until a pass succeeds, the cluster
    /// counts as not observed.
    Result<std::shared_ptr<const PassReport>> run();

    /// The input that a pass would get now, with the clouds as of the last refresh.
    Result<PassInput> input();
    const engine::Memory& memory() const noexcept { return memory_; }
    /// When the last pass asks for the next one; absent: it does not ask.
    const std::optional<Time>& wake_at() const noexcept { return wake_at_; }
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> clouds() const {
        return clouds_->instances();
    }
    Clouds& all_clouds() noexcept { return *clouds_; }

private:
    /// What a pass sees. Prices and options are asked for later, in each pass.
    struct Sight {
        engine::snapshot::Cluster cluster;
        std::shared_ptr<const std::vector<engine::Group>> groups{};
        std::shared_ptr<const std::vector<engine::CloudMachines>> machines{};
        std::vector<Error> problems{};
        bool is_unobserved = false;
        engine::PassTime at{};
    };
    explicit Autoscaler(Parts parts)
        : parts_(std::move(parts)), clock_(parts_.host.loop().clock()) {}
    Duration now() const { return parts_.host.loop().monotonic(); }
    std::string unobserved_because() const {
        return parts_.unobserved_because ? parts_.unobserved_because() : std::string();
    }
    CloudsView look_at_clouds();
    std::shared_ptr<const std::vector<engine::Group>> groups_of(
        const CloudsView& view, const std::map<NodeGroupId, std::string>& untouched) const;
    void begin_under_way();
    void remember_ended();
    PassInput make_input(const engine::snapshot::Cluster& cluster, const CloudsView& view,
                         std::shared_ptr<const std::vector<engine::Group>> groups,
                         std::string unobserved_because);
    static bool is_same(const Sight& before, const Sight& now);
    bool may_skip(const Sight& sight, std::optional<Time> wanted) const;
    Result<std::shared_ptr<PassReport>> look(std::optional<Time> wanted);
    Result<std::shared_ptr<PassReport>> plan(std::optional<Time> wanted);
    Result<std::shared_ptr<const PassReport>> run_pass();
    void act(PassReport& report);
    void keep(const engine::Memory& memory, MemoryStage stage);

    Parts parts_;
    PassClock clock_;
    engine::Settings settings_{};
    config::Pipeline pipeline_{};
    Wiring wiring_{};
    std::shared_ptr<Clouds> clouds_{};
    std::shared_ptr<ActionsUnderWay> under_way_{};
    Duration action_patience_{};
    engine::Memory memory_{};
    std::string unwritten_because_{};  ///< see CallContext
    std::optional<Time> wake_at_{};
    FilledGroups groups_{};  ///< of the last pass
    /// What the last pass saw; absent: the next one is not skipped.
    std::optional<Sight> seen_{};
    /// Results that no report has yet, and the back-offs before the first of them was remembered.
    std::vector<ActionsUnderWay::Ended> ended_{};
    std::optional<std::map<NodeGroupId, engine::Backoff>> backoffs_before_{};
    plugin_runtime::instances::PassThread thread_{};
};

}  // namespace capstan::autoscaler
