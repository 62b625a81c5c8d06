/// Plays a scenario on a live cluster: makes the initial objects, then carries out the steps in
/// real time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/api_server/object_store.hpp"
#include "simulator/input.hpp"
#include "simulator/live/live_events.hpp"
#include "simulator/live/manifests.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator::live {

/// The nodes and pods at one moment, as far as quiescence and expectations depend on them.
struct ClusterFigures {
    std::int64_t pending = 0;            ///< pods without a node that have not ended
    std::map<std::string, int> nodes{};  ///< by group of the simulated cloud; "": in no group
    std::map<std::string, std::string> node_states{};  ///< by node: taints, cordoned, ready
    std::int64_t ending = 0;                           ///< terminating pods on existing nodes

    bool operator==(const ClusterFigures&) const = default;
};
ClusterFigures figures_of(const api_server::ObjectStore& store);

/// Tells when a cluster is at rest: no figure has changed for the quiet period, and no pod is
/// terminating. Pods that stay pending do not prevent rest. The caller polls is_at_rest().
class QuiescenceWatch {
public:
    explicit QuiescenceWatch(Duration quiet_period) : quiet_period_(quiet_period) {}
    /// Restarts the quiet period.
    void begin(Duration now) { since_ = now; }
    bool is_at_rest(const api_server::ObjectStore& store, Duration now);

private:
    const Duration quiet_period_;
    Duration since_{0};
    ClusterFigures last_{};
};

/// [the loop's thread]
class ScenarioPlayer {
public:
    struct Options {
        double speed = 1;  ///< the scenario's times are divided by it
        /// A cluster without a change for this real time is at rest.
        Duration quiet_period{0};
        ReportLive report{};
        std::vector<SharedReplicas> balancers{};  ///< created after the actions of the first step
        /// Called for a change of the cloud; `since`: real time from the start.
        std::function<Result<void>(const ExternalEvent& what, Duration since)> change_cloud{};
        /// Called after the last step with the number of expectations that did not hold.
        std::function<void(int unmet)> over{};
    };
    /// Borrows the store and the input.
    ScenarioPlayer(api_server::ObjectStore& store, const Input& input, Options options);
    ScenarioPlayer(const ScenarioPlayer&) = delete;
    ScenarioPlayer& operator=(const ScenarioPlayer&) = delete;
    ~ScenarioPlayer();

    /// Creates the initial objects of the scenario.
    void fill();
    /// Begins with the first step. To be called once.
    void start();

private:
    void add_balancers();
    void begin_step();
    void act(const Step& step, std::size_t next);
    void wait_for_end(const Step& step);
    void await_rest(Duration deadline);
    void end_step();
    void check_expectations(const Step& step);
    void add_unmet(const std::string& what);
    void after(Duration real, std::function<void()> then);

    void apply(const Action& action);
    Result<std::string> carry_out(const PodBatch& batch);
    Result<std::string> carry_out(const Scale& to);
    Result<std::string> carry_out(const Remove& what);
    Result<std::string> carry_out(const Bind& what);
    Result<std::string> carry_out(const engine::snapshot::NodeObject& node);
    Result<std::string> carry_out(const engine::snapshot::DaemonSetObject& set);
    Result<std::string> carry_out(const NodeEdit& edit);
    Result<std::string> carry_out(const Budget& budget);
    Result<std::string> carry_out(const SharedReplicas& shared);
    Result<void> create(const Manifest& manifest);
    Result<void> create_space(const std::string& name);
    Result<std::string> add_pods(const PodBatch& batch);
    Result<std::string> add_replicas(const PodBatch& batch, const Manifest& manifest);

    /// A batch of pods, or another object of the scenario, as it was created.
    struct LiveBatch {
        std::string resource{};  ///< of its workload; "pods": a batch without a workload
        std::string ns{};
        int last_number = 0;  ///< of pods without a controller
    };

    api_server::ObjectStore& store_;
    const Input& input_;
    const Options options_;
    QuiescenceWatch rest_;
    Duration started_{0};
    std::size_t step_ = 0;
    int unmet_ = 0;
    std::map<std::string, LiveBatch> batches_{};
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::simulator::live
