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

#include "engine/actions.hpp"
#include "engine/removal/node_looks.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulation/budgets.hpp"
#include "simulation/event_log.hpp"
#include "simulation/input.hpp"
#include "simulation/tally.hpp"

namespace capstan::simulation {

/// Everything in it happens at the moment that is given: controllers act as soon as they are
/// needed. Writes what happens to the event log, and counts it in the statistics, which have to
/// have reached that moment. One thread.
class SimulatedCluster {
public:
    /// `has_scheduler`: false: only Bind gives pods a node. `default_spread`: the constraints of
    /// pods that have none of their own.
    SimulatedCluster(EventLog& event_log, RunStatistics& statistics,
                     engine::snapshot::ClusterBuilderOptions options = {},
                     bool has_scheduler = true,
                     std::vector<engine::snapshot::DefaultSpread> default_spread = {})
        : event_log_(event_log),
          statistics_(statistics),
          has_scheduler_(has_scheduler),
          default_spread_(std::move(default_spread)),
          builder_(std::move(options)) {}
    SimulatedCluster(const SimulatedCluster&) = delete;
    SimulatedCluster& operator=(const SimulatedCluster&) = delete;

    /// Its wall clock is so far ahead of the moments that are given here, from now on: objects tell
    /// when things happened by the wall clock of that moment.
    void set_wall_ahead(Duration ahead) noexcept {
        wall_ahead_ = ahead;
        has_changed_ = true;
    }
    Time wall(Time now) const noexcept { return now + wall_ahead_; }

    /// What is there from the start.
    void fill(const Objects& objects, Time now);
    /// The same for budgets.
    void fill(const std::vector<Budget>& budgets);

    // From outside; the error says what is impossible.
    Result<void> happen(const PodBatch& batch, Time now);
    Result<void> happen(const Scale& to, Time now);
    Result<void> happen(const Remove& what, Time now);
    Result<void> happen(const Bind& what, Time now);
    Result<void> happen(const engine::snapshot::NodeObject& node, Time now);
    Result<void> happen(const NodeEdit& edit, Time now);
    Result<void> happen(const Budget& budget, Time now);
    /// Its pods come to nodes that take them, now and later.
    Result<void> happen(const engine::snapshot::DaemonSetObject& set, Time now);

    // What an autoscaler asks for, as of ClusterClient.
    Result<void> change(const engine::NodeChange& change, Time now);
    Result<void> evict(const engine::Eviction& eviction, Time now);
    /// Whether the node holds other pods that count than those that are known.
    Result<void> look(const engine::removal::NodeLook& look) const;

    // Nodes. `group`: that its machine is of; empty: of none.
    bool has_node(std::string_view name) const { return nodes_.find(name) != nodes_.end(); }
    /// NULL: there is none.
    const engine::snapshot::NodeObject* find_node(std::string_view name) const;
    std::vector<std::string> nodes_of(std::string_view group) const;
    /// The keys of all nodes' taints, by node.
    std::map<std::string, std::vector<std::string>> taints() const;
    /// A node that is not ready carries Kubernetes' taint that says so.
    void add_node(engine::snapshot::NodeObject node, std::string group, Time now);
    void set_ready(const std::string& name, bool ready, Time now);
    /// The node of that providerID is a machine of the group; its name. Nothing: there is none.
    std::optional<std::string> adopt_node(const std::string& provider_id, const std::string& group);
    /// Its pods go with it, and those that have a controller come back without a node. False: there
    /// is none.
    bool remove_node(const std::string& name, Time now);

    /// When the next pod ends, is gone, or is ready, or a waiting pod stops insisting on its spread
    /// over zones, as of the last schedule(); nothing: none will.
    std::optional<Time> next_due() const;
    /// Lets that happen.
    void reach(Time now);
    /// Gives nodes to pods, when something changed since the last time or a pod stopped insisting.
    /// True: something did.
    bool schedule(Time now);

    engine::snapshot::Cluster cluster() { return builder_.build(); }
    std::int64_t pending() const noexcept { return static_cast<std::int64_t>(pending_.size()); }
    std::int64_t nodes_in(const std::string& group) const;
    /// The batch of a pod, by "namespace/name"; the name itself where there is none.
    std::string batch_of(std::string_view pod) const;
    /// Pods without a node by batch; `because` is left empty.
    std::vector<StillPending> still_pending(Time now) const;
    /// How long a pod has waited for its node at most: of those that wait, and of those that got
    /// one since the last call.
    Duration take_longest_wait(Time now);

private:
    using PodId = std::uint32_t;
    using BatchId = std::uint32_t;
    /// Pods of one look, with or without a controller.
    struct Workload {
        engine::snapshot::PodObject look{};
        Controller controller = Controller::none;
        bool is_daemon = false;
        std::optional<Duration> duration{};
        Duration start_up{0}, stop_time{0};
        bool is_packed = false;  ///< until its first pods have their nodes
        int wanted = 0;          ///< by its controller
        std::uint32_t last_number = 0;
        std::set<PodId> pods{};
        int ending = 0, healthy = 0;  ///< of these pods
        ScaledController scaled{};    ///< as it was given; its id is empty for others
    };
    struct Pod {
        std::string name{};
        std::string uid{};  ///< empty: made of its number
        BatchId batch = 0;
        Time created{};
        Time told_created{};  ///< the same, by the wall clock
        std::string node{};
        /// When its grace is over, by the wall clock, once it was told to end.
        std::optional<Time> deleted{};
        bool is_marked = false;  ///< unschedulable
        bool has_started = false, is_healthy = false;
    };
    struct Node {
        engine::snapshot::NodeObject object{};
        std::string group{};
        std::set<PodId> pods{};
        Resources requested{};
    };
    struct Waiting;
    using Moments = std::set<std::pair<Time, PodId>>;

    // Batches and pods.
    static std::string key_of(std::string_view ns, std::string_view name);
    /// The batch of that key, new if need be, whose pods look like this from now on.
    BatchId batch(const std::string& key, const engine::snapshot::PodObject& look);
    std::optional<BatchId> find_batch(std::string_view name) const;
    std::optional<PodId> find_pod(std::string_view name) const;
    std::string uid_of(PodId id) const;
    engine::snapshot::PodObject object_of(PodId id) const;
    PodId enter(BatchId batch, std::string name, Time now);
    void fill_pod(const engine::snapshot::PodObject& pod, Time now);
    void end_at(PodId id, Time deleted, Time now);
    void set_unready(std::string_view name);
    /// The node that a DaemonSet's pod is made for; nothing: it is none, or does not say.
    static std::optional<std::string> node_of_daemon(const engine::snapshot::PodObject& pod);
    void fill_daemon_set(const engine::snapshot::DaemonSetObject& set);

    // Controllers.
    void want(BatchId batch, int count);
    std::optional<LabelSelector> selector_of(const Workload& batch) const;
    int alive(const Workload& batch) const;
    void create(BatchId batch, int count, Time now);
    void create_pod(BatchId batch, std::string name, Time now);
    std::optional<std::uint32_t> next_in_row(const Workload& batch) const;
    void shrink(BatchId batch, int count, Time now);
    /// Lets controllers make up for what vanished since the last time.
    void settle(Time now);
    void settle(BatchId batch, Time now);

    // A pod's life.
    void end(PodId id, std::optional<Duration> grace, Time now);
    void take_away(PodId id);
    void look_after_health(PodId id);
    void tell_ended(const std::map<BatchId, int>& ended, Time now);

    // Pods on nodes.
    void occupy(PodId id, Node& node, Time now);
    void bind(PodId id, const std::string& node, Time now);
    void mark(PodId id);
    std::vector<Waiting> waiting(const engine::snapshot::Cluster& cluster, Time now);
    void tell_bound(const std::map<BatchId, std::int64_t>& bound, Time now);
    void place(Time now);
    std::vector<Node*> nodes_in_turn();
    void pack(Time now);
    void add_daemons(Node& node, Time now);
    std::vector<BatchId>::iterator find_daemon_set(std::string_view name);
    /// NAME or NAMESPACE/NAME; false: there is no such DaemonSet.
    bool remove_daemon_set(std::string_view name, Time now);
    void renew(Node& node, Time now);

    // Budgets.
    std::vector<PodSet> crowds() const;
    PodSet crowd_of(const Workload& b, int wanted_by_owner) const;
    void refresh_budgets();

    EventLog& event_log_;
    RunStatistics& statistics_;
    const bool has_scheduler_;
    const std::vector<engine::snapshot::DefaultSpread> default_spread_;
    engine::snapshot::ClusterBuilder builder_;
    std::vector<Workload> batches_;
    std::map<std::string, BatchId, std::less<>> batch_by_name_;
    /// Of controllers that are there from the start, by "namespace/kind/name".
    std::map<std::string, std::optional<LabelSelector>> selectors_;
    std::vector<Pod> pods_;  ///< also those that are gone
    std::unordered_map<std::string, PodId> pod_by_name_;
    /// Pods that came waiting, by "namespace/name", as they came: not quite like their batch.
    std::map<std::string, engine::snapshot::PodObject, std::less<>> given_;
    std::set<PodId> pending_;
    std::map<std::string, Node, std::less<>> nodes_;
    std::unordered_map<std::string, std::string> node_by_provider_id_;
    std::vector<BatchId> daemon_sets_;
    /// Pods of DaemonSets that wait for the node that they are made for, by its name.
    std::map<std::string, std::set<PodId>, std::less<>> awaited_daemons_;
    Budgets budgets_;
    Moments ends_, leaves_, starts_;  ///< when pods end by themselves, are gone, are ready
    std::set<BatchId> unsettled_;
    std::optional<Time> next_lapse_{};
    Duration longest_wait_{0};
    bool has_changed_ = false;
    Duration wall_ahead_{0};
};

}  // namespace capstan::simulation
