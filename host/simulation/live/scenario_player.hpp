/// Plays a scenario on a live cluster: what is there from the start, then its steps in real time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/api_server/object_store.hpp"
#include "simulation/input.hpp"
#include "simulation/live/live_events.hpp"
#include "simulation/live/manifests.hpp"
#include "simulation/shared_replicas.hpp"

namespace capstan::simulation::live {

// When a live cluster has come to rest.

/// Nodes and pods of one moment, as far as the wait for quiescence needs them.
struct ClusterFigures {
    std::int64_t pending = 0;                    ///< pods without a node that are not over
    std::map<std::string, int> nodes{};          ///< by group of the simulated cloud; "": of none
    std::map<std::string, std::string> looks{};  ///< nodes by name: taints, cordoned, ready
    std::int64_t ending = 0;  ///< pods that were told to end, on nodes that are there

    bool operator==(const ClusterFigures&) const = default;
};
ClusterFigures figures_of(const api_server::ObjectStore& store);

/// Looked at again and again. Pods that only wait and nodes that stay as they are count as rest.
class QuiescenceWatch {
public:
    explicit QuiescenceWatch(Duration patience) : patience_(patience) {}
    /// From now on; forgets what was.
    void begin(Duration now) { since_ = now; }
    bool is_at_rest(const api_server::ObjectStore& store, Duration now);

private:
    const Duration patience_;
    Duration since_{0};
    ClusterFigures last_{};
};

/// [the loop's thread]
class ScenarioPlayer {
public:
    struct Options {
        double speed = 1;  ///< the scenario's times are divided by it
        Duration patience{
            0};  ///< without any change for so long, in real time, a cluster is at rest
        TellLive tell{};
        std::vector<SharedReplicas> balancers{};  ///< there from the first step on
        /// Changes of the cloud, so long after the start.
        std::function<Result<void>(const ExternalEvent& what, Duration since)> change_cloud{};
        /// All steps are over; so many expectations did not hold.
        std::function<void(int unmet)> over{};
    };
    /// Borrows store and input.
    ScenarioPlayer(api_server::ObjectStore& store, const Input& input, Options options);
    ScenarioPlayer(const ScenarioPlayer&) = delete;
    ScenarioPlayer& operator=(const ScenarioPlayer&) = delete;
    ~ScenarioPlayer();

    /// Puts in place what is there from the start.
    void fill();
    /// Begins with the first step. Once.
    void start();

private:
    void add_balancers();
    void begin_step();
    void act(const Step& step, std::size_t next);
    void wait_out(const Step& step);
    void await_rest(Duration deadline);
    void end_step();
    void compare(const Step& step);
    void unmet(const std::string& what);
    void after(Duration real, std::function<void()> then);

    void happen(const Action& action);
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

    /// Where a batch's pods come from.
    struct Known {
        std::string resource{};  ///< of their workload; "pods": they have none
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
    std::map<std::string, Known> batches_{};
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::simulation::live
