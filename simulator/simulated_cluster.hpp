/// The cluster of a simulation: nodes, pods and their controllers.
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

#include "autoscaler/dump/budgets.hpp"
#include "engine/actions.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulator/event_log.hpp"
#include "simulator/input.hpp"
#include "simulator/run_statistics.hpp"

namespace capstan::simulator {

using autoscaler::dump::Budgets;
using autoscaler::dump::PodSet;

/// A pod as an API server would show it.
struct PodState {
    engine::snapshot::PodObject object{};
    bool is_there = true;  ///< false: it is gone; of `object` only namespace and name are set
    bool is_ready = false;
    std::string workload{};  ///< id of its WorkloadState; empty: it has none
};

/// A controller with a scale.
struct WorkloadState {
    std::string id{};  ///< "shop/Deployment/web"
    std::string ns{}, kind{}, name{};
    bool is_there = true;                    ///< false: it was removed
    int wanted = 0, present = 0, ready = 0;  ///< pods; terminating ones are not present
};

/// A cluster whose controllers act at once: every call takes effect at the moment `now` that it is
/// given. Events go to the event log and are counted in the statistics, which must have reached
/// `now` before. Used by one thread.
class SimulatedCluster {
public:
    /// Without a scheduler, pods get a node only from Bind, in packed batches, or as pods of a
    /// DaemonSet. `default_spread`: the spread constraints of the scheduler for pods that have none
    /// of their own.
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

    /// Sets how far the cluster's wall clock is ahead of virtual time from now on. Times in objects
    /// are of the wall clock as it was when they were written.
    void set_wall_ahead(Duration ahead) noexcept {
        wall_ahead_ = ahead;
        has_changed_ = true;
    }
    Time wall(Time now) const noexcept { return now + wall_ahead_; }

    /// Adds the objects that are there from the start.
    void fill(const Objects& objects, Time now);
    /// Adds the budgets that are there from the start.
    void fill(const std::vector<Budget>& budgets);

    // Events from outside; an error says what is impossible.
    Result<void> apply(const PodBatch& batch, Time now);
    Result<void> apply(const Scale& to, Time now);
    Result<void> apply(const Remove& what, Time now);
    Result<void> apply(const Bind& what, Time now);
    Result<void> apply(const engine::snapshot::NodeObject& node, Time now);
    Result<void> apply(const NodeEdit& edit, Time now);
    Result<void> apply(const Budget& budget, Time now);
    /// Each node that takes a pod of the DaemonSet gets one, now and whenever nodes join or change.
    Result<void> apply(const engine::snapshot::DaemonSetObject& set, Time now);

    // Requests of the autoscaler, as ClusterClient passes them on.
    Result<void> change(const engine::NodeChange& change, Time now);
    Result<void> evict(const engine::Eviction& eviction, Time now);
    /// Fails with `conflict` if the node has a pod that the recheck does not know. Pods of
    /// DaemonSets and expendable pods do not count.
    Result<void> recheck(const engine::removal::NodeRecheck& recheck) const;

    // Nodes. `group`: the group of a node's machine; empty: none.
    bool has_node(std::string_view name) const { return nodes_.find(name) != nodes_.end(); }
    /// NULL: there is no such node.
    const engine::snapshot::NodeObject* find_node(std::string_view name) const;
    std::vector<std::string> nodes_of(std::string_view group) const;
    /// The taint keys of all nodes, by node.
    std::map<std::string, std::vector<std::string>> taints() const;
    /// Which nodes the scheduler prefers from now on.
    void set_scheduler_score(SchedulerScore score) noexcept { scheduler_score_ = score; }
    /// true: the scheduler tries no pod until this is called with false.
    void stop_scheduler(bool stop) noexcept { scheduler_is_stopped_ = stop; }
    /// Adds a node. A node that is not ready gets the taint node.kubernetes.io/not-ready. If nodes
    /// of its group, or else of its machine type, had a CSINode at the start, it gets such a one.
    void add_node(engine::snapshot::NodeObject node, std::string group, Time now);
    void set_ready(const std::string& name, bool ready, Time now);
    /// Adds resources and labels to a node, and removes taints by key. Does nothing if there is no
    /// such node.
    void settle(const std::string& name, const Resources& resources, const Labels& labels,
                const std::vector<std::string>& taints, Time now);
    /// Puts the node of that providerID into the group, and returns the node's name. Absent: there
    /// is no such node.
    std::optional<std::string> adopt_node(const std::string& provider_id, const std::string& group);
    /// Removes the node with its pods. Pods that have a controller are recreated and pending.
    /// False: there is no such node.
    bool remove_node(const std::string& name, Time now, Cause cause = Cause::scenario);

    /// When the next pod completes, is deleted or becomes ready, or when the spread over zones of a
    /// pending pod times out, as of the last schedule(); absent: none of this is due.
    std::optional<Time> next_due() const;
    /// Pods that are due by `now` complete, are deleted or become ready.
    void reach(Time now);
    /// Gives nodes to pending pods if something changed since the last call or the spread of a pod
    /// timed out. False: that was not so, or the scheduler is stopped.
    bool schedule(Time now);

    engine::snapshot::Cluster cluster() { return builder_.build(); }
    std::int64_t pending() const noexcept { return static_cast<std::int64_t>(pending_.size()); }
    std::int64_t nodes_in(const std::string& group) const;
    /// A hash of nodes and pods: groups, readiness, taints, which batches run where and wait, and
    /// the time until each event that is scheduled. Names, ages and the order do not count.
    std::uint64_t state_hash(Time now) const;
    // What plugins see through the Kubernetes API.
    /// From now on changes of pods and workloads are remembered; all there are count as changed.
    void track_changes();
    /// The pods that changed since the last call, in the order of their creation.
    std::vector<PodState> take_changed_pods();
    /// The workloads that changed, or whose pods did, since the last call, by id. Deployments,
    /// ReplicaSets without a Deployment, StatefulSets.
    std::vector<WorkloadState> take_changed_workloads();
    /// Sets how many pods the workload wants, like Scale. `not_found`: there is no such workload.
    Result<void> scale_workload(const std::string& id, int replicas, Time now);

    /// The name of the batch of the pod "namespace/name"; the pod's own name if there is no such
    /// pod.
    std::string batch_of(std::string_view pod) const;
    /// Pods without a node by batch; `because` is left empty.
    std::vector<StillPending> still_pending(Time now) const;
    /// The longest time that a pod has waited for its node, among pods that wait now and pods that
    /// got a node since the last call.
    Duration take_longest_wait(Time now);

private:
    using PodId = std::uint32_t;
    using BatchId = std::uint32_t;
    /// A batch: pods that differ only in their names, with or without a controller.
    struct Workload {
        engine::snapshot::PodObject pod_template{};
        Controller controller = Controller::none;
        bool is_daemon = false;
        std::optional<Duration> duration{};
        Duration start_up{0}, stop_time{0};
        bool is_packed = false;  ///< its first pods have yet to be packed onto nodes
        int wanted = 0;          ///< pods that its controller wants
        std::uint32_t last_number = 0;
        std::set<PodId> pods{};
        int ending = 0, healthy = 0;  ///< how many of `pods` are so
        ScaledController scaled{};    ///< as the input gave it; empty id: the input gave none
    };
    struct Pod {
        std::string name{};
        std::string uid{};  ///< empty: it is made of the PodId
        BatchId batch = 0;
        Time created{};
        Time created_by_wall{};  ///< `created`, by the wall clock
        std::string node{};
        /// When its grace period ends, by the wall clock; absent: it is not terminating.
        std::optional<Time> deleted{};
        bool is_marked = false;  ///< its status says that it is unschedulable
        bool has_started = false, is_healthy = false;
    };
    struct Node {
        engine::snapshot::NodeObject object{};
        std::string group{};
        std::set<PodId> pods{};
        Resources requested{};
    };
    /// A CSINode, and the group and machine type of its node.
    struct CsiModel {
        engine::snapshot::CsiNodeObject object{};
        std::string group{}, machine_type{};
    };
    struct Waiting;
    using Moments = std::set<std::pair<Time, PodId>>;

    // Batches and pods.
    static std::string key_of(std::string_view ns, std::string_view name);
    /// The batch of that key, made if there is none. New pods of the batch are made from the
    /// template.
    BatchId batch(const std::string& key, const engine::snapshot::PodObject& pod_template);
    std::optional<BatchId> find_batch(std::string_view name) const;
    std::optional<PodId> find_pod(std::string_view name) const;
    std::string uid_of(PodId id) const;
    engine::snapshot::PodObject object_of(PodId id) const;
    PodId add_pod(BatchId batch, std::string name, Time now);
    void fill_pod(const engine::snapshot::PodObject& pod, Time now);
    void terminate_at(PodId id, Time deleted, Time now);
    void set_unready(std::string_view name);
    void fill_daemon_set(const engine::snapshot::DaemonSetObject& set);

    // Controllers.
    void set_replicas(BatchId batch, int count);
    int wanted_of_owner(const Workload& batch) const;
    void scale(BatchId batch, const std::string& name, int replicas, Time now);
    /// The id of the batch's workload: "shop/Deployment/web"; empty: it has no scale.
    static std::string workload_of(const Workload& batch);
    void touch(PodId id) {
        if (!tracks_changes_) return;
        touched_pods_.insert(id);
        touched_batches_.insert(pods_[id].batch);
    }
    std::optional<LabelSelector> selector_of(const Workload& batch) const;
    int alive(const Workload& batch) const;
    void create(BatchId batch, int count, Cause cause, Time now);
    void create_pod(BatchId batch, std::string name, Cause cause, Time now);
    std::optional<std::uint32_t> next_in_row(const Workload& batch) const;
    void shrink(BatchId batch, int count, Time now);
    /// Lets controllers create the pods that are missing since the last call.
    void reconcile(Time now);
    void reconcile(BatchId batch, Time now);

    // A pod's life.
    void evict_intolerant(const std::string& node, Time now);
    void terminate(PodId id, std::optional<Duration> grace, Time now);
    void delete_pod(PodId id, Time now);
    void update_health(PodId id);
    void add_fact(FactKind kind, Cause cause, PodId id, Time now);
    void add_fact(FactKind kind, Cause cause, const Node& node, Time now);
    void report_ended(const std::map<BatchId, int>& ended, Time now);

    // Pods on nodes.
    void occupy(PodId id, Node& node, Time now);
    void bind(PodId id, const std::string& node, Time now);
    void mark_unschedulable(PodId id);
    std::vector<Waiting> waiting(const engine::snapshot::Cluster& cluster, Time now);
    void report_bound(const std::map<BatchId, std::int64_t>& bound, Time now);
    void place(Time now);
    std::vector<Node*> nodes_in_turn();
    void pack(Time now);
    void add_daemons(Node& node, Time now);
    std::vector<BatchId>::iterator find_daemon_set(std::string_view name);
    /// `name`: NAME or NAMESPACE/NAME. False: there is no such DaemonSet.
    bool remove_daemon_set(std::string_view name, Time now);
    void publish(Node& node, Time now);
    void fill_csi_nodes(const std::vector<engine::snapshot::CsiNodeObject>& csi_nodes);
    void add_csi_node(const Node& node);

    // Budgets.
    std::vector<PodSet> pod_sets() const;
    PodSet pod_set_of(const Workload& b, int wanted_by_owner) const;
    void refresh_budgets();

    EventLog& event_log_;
    RunStatistics& statistics_;
    const bool has_scheduler_;
    bool scheduler_is_stopped_ = false;
    SchedulerScore scheduler_score_ = SchedulerScore::least_allocated;
    const std::vector<engine::snapshot::DefaultSpread> default_spread_;
    engine::snapshot::ClusterBuilder builder_;
    std::vector<Workload> batches_;
    std::map<std::string, BatchId, std::less<>> batch_by_name_;
    /// The selectors of controllers that are there from the start, by "namespace/kind/name".
    std::map<std::string, std::optional<LabelSelector>> selectors_;
    std::vector<Pod> pods_;  ///< by PodId; pods that are gone stay
    std::unordered_map<std::string, PodId> pod_by_name_;
    /// Pods that were pending at the start, by "namespace/name", as the input has them: they may
    /// differ from the template of their batch.
    std::map<std::string, engine::snapshot::PodObject, std::less<>> pods_as_given_;
    std::set<PodId> pending_;
    std::map<std::string, Node, std::less<>> nodes_;
    std::unordered_map<std::string, std::string> node_by_provider_id_;
    /// The CSINodes that are there from the start, as models for those of new nodes.
    std::vector<CsiModel> csi_models_;
    std::vector<BatchId> daemon_sets_;
    /// Pods of DaemonSets that wait for their node, by the name of the node they are made for.
    std::map<std::string, std::set<PodId>, std::less<>> awaited_daemons_;
    Budgets budgets_;
    Moments ends_, leaves_, starts_;  ///< when pods complete, are deleted, become ready
    std::set<BatchId> to_reconcile_;
    std::optional<Time> next_lapse_{};
    Duration longest_wait_{0};
    bool has_changed_ = false;
    Duration wall_ahead_{0};
    bool tracks_changes_ = false;
    std::set<PodId> touched_pods_;
    std::set<BatchId> touched_batches_;
};

}  // namespace capstan::simulator
