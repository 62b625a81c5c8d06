/// The cluster of a simulation: nodes, pods and the controllers that look after them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster_builder.hpp"
#include "simulation/input.hpp"
#include "simulation/story.hpp"
#include "simulation/tally.hpp"

namespace capstan::simulation {

/// Everything in it happens at the moment that is given, and at once: controllers act as soon as
/// they are needed, pods run as soon as they are bound. Tells what happens to the story, and counts
/// it in the tally, which has to have reached that moment. One thread.
class World {
public:
    World(Story& story, Tally& tally, engine::ClusterBuilderOptions options = {})
        : story_(story), tally_(tally), builder_(std::move(options)) {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// What is there from the start.
    void fill(const Objects& objects, Time now);

    // From outside; the error says what is impossible.
    Result<void> happen(const PodBatch& batch, Time now);
    Result<void> happen(const Scale& to, Time now);
    Result<void> happen(const Remove& what, Time now);
    Result<void> happen(const engine::NodeObject& node, Time now);

    // Nodes. `group`: whose machine it is; empty: nobody's.
    bool has_node(std::string_view name) const { return nodes_.find(name) != nodes_.end(); }
    /// A node that is not ready carries Kubernetes' taint that says so.
    void add_node(engine::NodeObject node, std::string group, Time now);
    void make_ready(const std::string& name, Time now);
    /// The node of that providerID is a machine of the group; its name. Nothing: there is none.
    std::optional<std::string> adopt_node(const std::string& provider_id, const std::string& group);
    /// Its pods go with it, and those that have a controller come back without a node. False: there
    /// is none.
    bool remove_node(const std::string& name, Time now);

    /// When the next pod ends by itself; nothing: none will.
    std::optional<Time> next_end() const;
    /// When the next waiting pod stops insisting on its spread over zones, as of the last
    /// schedule(), which is then due again; nothing: none will.
    std::optional<Time> next_lapse() const noexcept { return next_lapse_; }
    void end_pods(Time now);
    /// Gives nodes to pods, when something changed since the last time or a pod stopped insisting.
    /// True: something did.
    bool schedule(Time now);

    engine::Cluster cluster() { return builder_.build(); }
    std::int64_t pending() const noexcept { return static_cast<std::int64_t>(pending_.size()); }
    std::int64_t nodes_in(const std::string& group) const;
    /// The batch of a pod, by "namespace/name"; the name itself where there is none.
    std::string batch_of(std::string_view pod) const;
    /// Pods without a node by batch; `because` is left empty.
    std::vector<StillPending> still_pending(Time now) const;

private:
    using PodId = std::uint32_t;
    using BatchId = std::uint32_t;
    /// Pods of one look, with or without a controller.
    struct Batch {
        engine::PodObject look{};
        std::optional<Duration> duration{};
        bool replicas = false;  ///< vanished pods come back
        bool daemon = false;
        std::uint32_t last_number = 0;
        std::set<PodId> pods{};
    };
    struct Pod {
        std::string name{};
        BatchId batch = 0;
        Time created{};
        std::string node{};
        bool is_marked = false;  ///< unschedulable
    };
    struct Node {
        engine::NodeObject object{};
        std::string group{};
        std::set<PodId> pods{};
        Resources requested{};
    };
    struct Waiting;

    // Batches and pods.
    static std::string key_of(std::string_view ns, std::string_view name);
    /// The batch of that key, new if need be, whose pods look like this from now on.
    BatchId batch(const std::string& key, const engine::PodObject& look);
    std::optional<BatchId> find_batch(std::string_view name) const;
    engine::PodObject object_of(PodId id) const;
    PodId enter(BatchId batch, std::string name, Time now);
    void create(BatchId batch, int count, Time now);
    void fill_pod(const engine::PodObject& pod, Time now);
    void fill_daemon_set(const engine::DaemonSetObject& set);
    /// Takes the pod away. True: its controller wants another.
    bool take_away(PodId id);
    void shrink(BatchId batch, std::size_t count, Time now);
    void replace(const std::map<BatchId, int>& vanished, Time now);

    // Pods on nodes.
    void occupy(PodId id, Node& node, Time now);
    void bind(PodId id, const std::string& node, Time now);
    void mark(PodId id);
    std::vector<Waiting> waiting(const engine::Cluster& cluster, Time now);

    // DaemonSets.
    void add_daemons(Node& node, Time now);

    Story& story_;
    Tally& tally_;
    engine::ClusterBuilder builder_;
    std::vector<Batch> batches_;
    std::map<std::string, BatchId, std::less<>> batch_by_name_;
    std::vector<Pod> pods_;  ///< also those that are gone
    std::unordered_map<std::string, PodId> pod_by_name_;
    /// Pods that came waiting, by "namespace/name", as they came: not quite like their batch.
    std::map<std::string, engine::PodObject, std::less<>> given_;
    std::set<PodId> pending_;
    std::map<std::string, Node, std::less<>> nodes_;
    std::unordered_map<std::string, std::string> node_by_provider_id_;
    std::vector<BatchId> daemon_sets_;
    std::set<std::pair<Time, PodId>> ends_;
    std::optional<Time> next_lapse_{};
    bool has_changed_ = false;
};

}  // namespace capstan::simulation
