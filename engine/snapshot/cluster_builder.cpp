#include "engine/snapshot/cluster_builder.hpp"

#include <numeric>
#include <set>
#include <utility>

#include "engine/snapshot/cluster_state.hpp"
#include "engine/snapshot/heap_bytes.hpp"
#include "engine/snapshot/node_slots.hpp"
#include "engine/snapshot/pod_rows.hpp"

namespace capstan::engine::snapshot {
namespace {

bool has_ended(const PodObject& pod) noexcept {
    return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

std::size_t bytes_of_objects(const ClusterObjects& objects) noexcept {
    return heap_bytes(objects.budgets) + heap_bytes(objects.controllers) +
           heap_bytes(objects.claims) + heap_bytes(objects.volumes) +
           heap_bytes(objects.storage_classes) + heap_bytes(objects.csi_nodes) +
           heap_bytes(objects.csi_drivers) + heap_bytes(objects.csi_capacities) +
           heap_bytes(objects.namespaces) + heap_bytes(objects.services);
}

/// The pod that a DaemonSet would put on a node.
PodObject pod_of(const DaemonSetObject& object) {
    return {.ns = object.ns,
            .name = object.name,
            .spec = object.spec,
            .labels = object.labels,
            .annotations = object.annotations,
            .owner = {
                .kind = "DaemonSet", .api_group = "apps", .name = object.name, .uid = object.uid}};
}

std::string name_in_namespace(std::string_view ns, std::string_view name) {
    return std::string(ns).append("/").append(name);
}

/// Sorts bound pods by node, and lists unbound pods.
void place_pods(PodTable& pods, const NodeTable& nodes) {
    std::vector<std::size_t> ends(nodes.rows.size() + 1, 0);
    std::vector<NodeIndex> node_of(pods.count, no_node);
    for (PodIndex first = 0; first < pods.count; first += PodBlock::size) {
        const auto& slots = pods.block(first).node;
        const std::size_t rows = std::min(pods.count - first, PodBlock::size);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto pod = static_cast<PodIndex>(first + row);
            if (slots[row] == no_slot) {
                pods.unbound.push_back(pod);
                continue;
            }
            node_of[pod] = nodes.index_of[slots[row]];
            if (node_of[pod] != no_node) ++ends[node_of[pod] + 1];
        }
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    pods.bounds = ends;
    pods.bound.resize(ends.back());
    for (PodIndex pod = 0; pod < pods.count; ++pod)
        if (node_of[pod] != no_node) pods.bound[ends[node_of[pod]]++] = pod;
}

}  // namespace

/// Each part of the last cluster is kept and shared until something in it changes.
struct ClusterBuilder::State {
    explicit State(ClusterBuilderOptions options)
        : pools(std::make_shared<Pools>(std::move(options.spread_timeout_annotation))) {}

    std::shared_ptr<Pools> pools;
    NodeSlots nodes{*pools};
    PodRows pods{*pools};
    /// Namespace and name of pods that have ended, so that `remove_pod` finds them.
    std::set<std::pair<Symbol, Symbol>> ended{};
    std::map<std::pair<std::string, std::string>,
             std::pair<std::shared_ptr<const DaemonSetObject>, PodGroupId>>
        daemon_sets{};
    std::shared_ptr<ClusterObjects> objects = std::make_shared<ClusterObjects>();
    bool objects_shared = false;
    std::size_t objects_bytes = 0;
    std::uint64_t changes = 0;

    std::shared_ptr<const NodeTable> last_nodes{};
    std::shared_ptr<const PodTable> last_pods{};
    std::shared_ptr<const DaemonSets> last_daemon_sets{};
    std::optional<Cluster> last{};
    /// The counts of `last`: of changes, and of equivalence groups.
    std::pair<std::uint64_t, std::size_t> last_counts{};

    /// Sets a pod that has not ended.
    void set_live(Symbol name, const PodObject& pod);
    bool is_unchanged(PodIndex pod, PodGroupId equivalence_group, NodeSlot slot,
                      const PodObject& object) const;
    void change_pods();
    bool drop(Symbol ns, Symbol name);
    void drop_row(PodIndex pod);
    const PodGroupRow& row_of(PodIndex pod) const;
    ClusterObjects& change_objects();
    template <class T>
    void put(std::map<std::string, T, std::less<>> ClusterObjects::* to, std::string name,
             T object);
    template <class T>
    bool remove(std::map<std::string, T, std::less<>> ClusterObjects::* from,
                std::string_view name);
    bool remove_daemon_set(std::string_view ns, std::string_view name);
    std::shared_ptr<const PodTable> pod_table(const NodeTable& nodes);
    std::shared_ptr<const DaemonSets> daemon_set_table() const;
};

const PodGroupRow& ClusterBuilder::State::row_of(PodIndex pod) const {
    return pools->equivalence_group(pods.block(pod).equivalence_group[pod % PodBlock::size]);
}

void ClusterBuilder::State::change_pods() {
    last_pods.reset();
    ++changes;
}

bool ClusterBuilder::State::is_unchanged(PodIndex pod, PodGroupId equivalence_group, NodeSlot slot,
                                         const PodObject& object) const {
    const PodBlock& in = pods.block(pod);
    const std::size_t at = pod % PodBlock::size;
    const auto text = [&](Symbol symbol) { return pools->symbols.text(symbol); };
    return in.equivalence_group[at] == equivalence_group && in.node[at] == slot &&
           text(in.uid[at]) == object.uid && text(in.nominated_node[at]) == object.nominated_node &&
           text(in.unscheduled_reason[at]) == object.unscheduled_reason &&
           in.phase[at] == object.phase && in.gated[at] == object.gated &&
           in.deleted[at] == object.deleted.has_value() &&
           in.deleted_at[at] == object.deleted.value_or(Time{}) && in.created[at] == object.created;
}

void ClusterBuilder::State::set_live(Symbol name, const PodObject& object) {
    const PodGroupId equivalence_group = pools->add_equivalence_group(object);
    const PodGroupRow& row = pools->equivalence_group(equivalence_group);
    std::optional<PodIndex> existing = pods.find(row.ns, name);
    // The pod is added before its old row is dropped, so that a pod that stays on its node never
    // frees the node's slot in between.
    const NodeSlot slot = nodes.add_pod(object.node_name, row.requests);
    if (existing && is_unchanged(*existing, equivalence_group, slot, object))
        return nodes.drop_pod(slot, row.requests);
    const PodIndex pod = existing ? *existing : pods.add(name, equivalence_group);
    PodBlock& block = pods.open(pod);
    const std::size_t at = pod % PodBlock::size;
    if (existing) nodes.drop_pod(block.node[at], row_of(pod).requests);
    block.equivalence_group[at] = equivalence_group;
    block.node[at] = slot;
    block.uid[at] = pools->symbols.add(object.uid);
    block.nominated_node[at] = pools->symbols.add(object.nominated_node);
    block.unscheduled_reason[at] = pools->symbols.add(object.unscheduled_reason);
    block.phase[at] = object.phase;
    block.gated[at] = object.gated;
    block.deleted[at] = object.deleted.has_value();
    block.deleted_at[at] = object.deleted.value_or(Time{});
    block.created[at] = object.created;
    change_pods();
}

void ClusterBuilder::State::drop_row(PodIndex pod) {
    nodes.drop_pod(pods.block(pod).node[pod % PodBlock::size], row_of(pod).requests);
    pods.remove(pod);
    change_pods();
}

bool ClusterBuilder::State::drop(Symbol ns, Symbol name) {
    if (const auto pod = pods.find(ns, name)) {
        drop_row(*pod);
        return true;
    }
    return ended.erase({ns, name}) != 0;
}

ClusterObjects& ClusterBuilder::State::change_objects() {
    ++changes;
    if (std::exchange(objects_shared, false)) objects = std::make_shared<ClusterObjects>(*objects);
    return *objects;
}

template <class T>
void ClusterBuilder::State::put(std::map<std::string, T, std::less<>> ClusterObjects::* to,
                                std::string name, T object) {
    const ClusterObjects& current = *objects;
    const auto at = (current.*to).find(name);
    if (at != (current.*to).end() && at->second == object) return;  // no change, so no copy
    (change_objects().*to).insert_or_assign(std::move(name), std::move(object));
}

template <class T>
bool ClusterBuilder::State::remove(std::map<std::string, T, std::less<>> ClusterObjects::* from,
                                   std::string_view name) {
    const ClusterObjects& current = *objects;
    if (!(current.*from).contains(name)) return false;  // no change, so no copy
    auto& all = change_objects().*from;
    all.erase(all.find(name));
    return true;
}

bool ClusterBuilder::State::remove_daemon_set(std::string_view ns, std::string_view name) {
    if (daemon_sets.erase({std::string(ns), std::string(name)}) == 0) return false;
    last_daemon_sets.reset();
    ++changes;
    return true;
}

std::shared_ptr<const PodTable> ClusterBuilder::State::pod_table(const NodeTable& table) {
    auto out = std::make_shared<PodTable>();
    out->blocks = pods.share();
    out->count = pods.size();
    out->requested = nodes.requested(table);
    place_pods(*out, table);
    return out;
}

std::shared_ptr<const DaemonSets> ClusterBuilder::State::daemon_set_table() const {
    auto out = std::make_shared<DaemonSets>();
    for (const auto& [name, entry] : daemon_sets) {
        const auto& [object, equivalence_group] = entry;
        out->objects.push_back(object);
        out->rows.push_back({object.get(), equivalence_group});
        out->bytes += sizeof(*object) + heap_bytes(*object) + sizeof(DaemonSetRow);
    }
    return out;
}

ClusterBuilder::ClusterBuilder(ClusterBuilderOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
ClusterBuilder::~ClusterBuilder() = default;

void ClusterBuilder::set(const NodeObject& node) {
    if (state_->nodes.set(node)) ++state_->changes;
}

void ClusterBuilder::set(const PodObject& pod) {
    const Symbol name = state_->pools->symbols.add(pod.name);
    if (!has_ended(pod)) {
        if (!state_->ended.empty()) state_->ended.erase({state_->pools->symbols.add(pod.ns), name});
        return state_->set_live(name, pod);
    }
    const Symbol ns = state_->pools->symbols.add(pod.ns);
    state_->drop(ns, name);
    state_->ended.insert({ns, name});
}

void ClusterBuilder::set(DaemonSetObject object) {
    std::pair name(object.ns, object.name);
    const auto existing = state_->daemon_sets.find(name);
    if (existing != state_->daemon_sets.end() && *existing->second.first == object) return;
    const PodGroupId equivalence_group = add_equivalence_group(pod_of(object));
    state_->daemon_sets.insert_or_assign(
        std::move(name),
        std::pair(std::make_shared<const DaemonSetObject>(std::move(object)), equivalence_group));
    state_->last_daemon_sets.reset();
    ++state_->changes;
}

void ClusterBuilder::set(DisruptionBudgetObject object) {
    std::string name = name_in_namespace(object.ns, object.name);
    state_->put(&ClusterObjects::budgets, std::move(name), std::move(object));
}

void ClusterBuilder::set(ControllerObject object) {
    std::string name = name_in_namespace(object.kind, name_in_namespace(object.ns, object.name));
    state_->put(&ClusterObjects::controllers, std::move(name), std::move(object));
}

void ClusterBuilder::set(ClaimObject object) {
    std::string name = name_in_namespace(object.ns, object.name);
    state_->put(&ClusterObjects::claims, std::move(name), std::move(object));
}

void ClusterBuilder::set(VolumeObject object) {
    std::string name = object.name;
    state_->put(&ClusterObjects::volumes, std::move(name), std::move(object));
}

void ClusterBuilder::set(StorageClassObject object) {
    std::string name = object.name;
    state_->put(&ClusterObjects::storage_classes, std::move(name), std::move(object));
}

void ClusterBuilder::set(CsiNodeObject object) {
    std::string name = object.name;
    state_->put(&ClusterObjects::csi_nodes, std::move(name), std::move(object));
}

void ClusterBuilder::set(CsiDriverObject object) {
    std::string name = object.name;
    state_->put(&ClusterObjects::csi_drivers, std::move(name), std::move(object));
}

void ClusterBuilder::set(CsiCapacityObject object) {
    std::string name = name_in_namespace(object.ns, object.name);
    state_->put(&ClusterObjects::csi_capacities, std::move(name), std::move(object));
}

void ClusterBuilder::set(NamespaceObject object) {
    state_->put(&ClusterObjects::namespaces, std::move(object.name), std::move(object.labels));
}

void ClusterBuilder::set(ServiceObject object) {
    std::string name = name_in_namespace(object.ns, object.name);
    state_->put(&ClusterObjects::services, std::move(name), std::move(object));
}

bool ClusterBuilder::remove(ObjectKind kind, std::string_view ns, std::string_view name) {
    State& s = *state_;
    using All = ClusterObjects;
    const auto controller = [&](const char* owner_kind) {
        return s.remove(&All::controllers,
                        name_in_namespace(owner_kind, name_in_namespace(ns, name)));
    };
    switch (kind) {
        case ObjectKind::pod: return remove_pod(ns, name);
        case ObjectKind::node: return remove_node(name);
        case ObjectKind::daemon_set: return s.remove_daemon_set(ns, name);
        case ObjectKind::disruption_budget:
            return s.remove(&All::budgets, name_in_namespace(ns, name));
        case ObjectKind::replica_set: return controller("ReplicaSet");
        case ObjectKind::replication_controller: return controller("ReplicationController");
        case ObjectKind::stateful_set: return controller("StatefulSet");
        case ObjectKind::job: return controller("Job");
        case ObjectKind::claim: return s.remove(&All::claims, name_in_namespace(ns, name));
        case ObjectKind::volume: return s.remove(&All::volumes, name);
        case ObjectKind::storage_class: return s.remove(&All::storage_classes, name);
        case ObjectKind::csi_node: return s.remove(&All::csi_nodes, name);
        case ObjectKind::csi_driver: return s.remove(&All::csi_drivers, name);
        case ObjectKind::csi_capacity:
            return s.remove(&All::csi_capacities, name_in_namespace(ns, name));
        case ObjectKind::ns: return s.remove(&All::namespaces, name);
        case ObjectKind::service: return s.remove(&All::services, name_in_namespace(ns, name));
    }
    return false;
}

bool ClusterBuilder::remove_node(std::string_view name) {
    const bool was_there = state_->nodes.remove(name);
    if (was_there) ++state_->changes;
    return was_there;
}

bool ClusterBuilder::remove_pod(std::string_view ns, std::string_view name) {
    const auto ns_symbol = state_->pools->symbols.find(ns);
    const auto name_symbol = state_->pools->symbols.find(name);
    return ns_symbol && name_symbol && state_->drop(*ns_symbol, *name_symbol);
}

bool ClusterBuilder::bind_pod(std::string_view ns, std::string_view name, std::string_view node) {
    State& s = *state_;
    const auto ns_symbol = s.pools->symbols.find(ns);
    const auto name_symbol = s.pools->symbols.find(name);
    if (!ns_symbol || !name_symbol) return false;
    const auto pod = s.pods.find(*ns_symbol, *name_symbol);
    if (!pod) return false;
    const std::size_t at = *pod % PodBlock::size;
    PodBlock& block = s.pods.open(*pod);
    const auto requests = s.row_of(*pod).requests;
    const NodeSlot slot = s.nodes.add_pod(node, requests);
    s.nodes.drop_pod(std::exchange(block.node[at], slot), requests);
    block.unscheduled_reason[at] = Symbol::empty;  // a bound pod is scheduled
    s.change_pods();
    return true;
}

std::uint64_t ClusterBuilder::changes() const noexcept { return state_->changes; }

PodGroupId ClusterBuilder::add_equivalence_group(const PodObject& pod) {
    return state_->pools->add_equivalence_group(pod);
}

Cluster ClusterBuilder::build() {
    State& s = *state_;
    const std::pair counts(s.changes, s.pools->pod_group_count());
    if (s.last && counts == s.last_counts) return *s.last;
    auto nodes = s.nodes.table();
    if (s.last_pods == nullptr || nodes != s.last_nodes) s.last_pods = s.pod_table(*nodes);
    s.last_nodes = nodes;
    if (s.last_daemon_sets == nullptr) s.last_daemon_sets = s.daemon_set_table();
    if (!std::exchange(s.objects_shared, true)) s.objects_bytes = bytes_of_objects(*s.objects);

    const std::size_t bytes = s.pools->bytes() + s.last_nodes->bytes() + s.last_pods->bytes() +
                              s.last_daemon_sets->bytes + s.objects_bytes;
    s.last = Cluster(std::make_shared<const Cluster::State>(
        Cluster::State{s.pools, s.last_nodes, s.last_pods, s.last_daemon_sets, s.objects,
                       s.pools->pod_group_count(), bytes}));
    s.last_counts = counts;
    return *s.last;
}

}  // namespace capstan::engine::snapshot
