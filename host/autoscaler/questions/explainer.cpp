#include "autoscaler/questions/explainer.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "config/text.hpp"
#include "engine/remedies.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::autoscaler::questions {

namespace {

/// How many pods whose names begin as the question says are remembered.
constexpr std::size_t remembered_pods_max = 10;

/// Those of `names`, which are ascending, that begin with `start`.
std::vector<std::string> names_beginning_with(const std::string& start,
                                              const std::vector<std::string>& names) {
    const auto first = std::ranges::lower_bound(names, start);
    const auto last = std::find_if(first, names.end(),
                                   [&](const auto& name) { return !name.starts_with(start); });
    return {first, last};
}

std::string named(const std::vector<std::string>& names) {
    return listed(names, std::identity(), 8);
}

/// The name among `names` that `typed` means: `typed` itself if it is among them; else the only
/// name that goes on after it with a dot ("ip-10-0-1-17" for "ip-10-0-1-17.ec2.internal"); else the
/// only name that begins with it. Otherwise `not_found`, and the message is `unknown` followed by
/// the names that may be meant, or by the names there are. `names` has to be ascending.
///     no node "n" in this cluster; several match: n1, n2
Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown) {
    std::string name(typed);
    if (std::ranges::binary_search(names, name)) return name;
    for (const std::string& start : {name + ".", name}) {
        const std::vector<std::string> found = names_beginning_with(start, names);
        if (found.size() == 1) return found.front();
        if (found.size() > 1)
            return fail(ErrorCode::not_found,
                        std::string(unknown) + "; several match: " + named(found));
    }
    const std::string meant = config::suggestion(typed, names);
    if (!meant.empty()) return fail(ErrorCode::not_found, std::string(unknown) + meant);
    return fail(
        ErrorCode::not_found,
        std::string(unknown) + (names.empty() ? "; known: none" : "; known: " + named(names)));
}

/// The name of the workload of that kind that the owner belongs to; empty: the owner is of another
/// kind.
std::string_view workload_name(const engine::snapshot::PodOwner& owner, std::string_view kind) {
    const std::string_view name = owner.name;
    if (owner.kind == kind) return name;
    const std::size_t hash = name.rfind('-');
    const bool is_deployments = kind == "Deployment" && owner.kind == "ReplicaSet";
    return is_deployments && hash != std::string_view::npos ? name.substr(0, hash)
                                                            : std::string_view();
}

/// Whether a pod with this owner is of the workload. A Deployment is recognised by the names of its
/// ReplicaSets, NAME-HASH.
bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name) {
    return !name.empty() && workload_name(owner, kind) == name;
}

/// The workloads of that kind and namespace that have pods or an object in the cluster: names,
/// ascending, each once.
std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns) {
    std::set<std::string> out;
    for (engine::PodGroupId id = 0; id < cluster.pod_group_count(); ++id) {
        const engine::snapshot::PodGroupRow& pods = cluster.equivalence_group(id);
        const std::string_view name = workload_name(*pods.owner, kind);
        if (!name.empty() && cluster.text(pods.ns) == ns) out.emplace(name);
    }
    for (const auto& [key, object] : cluster.objects().controllers) {
        const engine::snapshot::PodOwner as_owner{.kind = object.kind, .name = object.name};
        const std::string_view name = workload_name(as_owner, kind);
        if (!name.empty() && object.ns == ns) out.emplace(name);
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> node_names(const engine::snapshot::Cluster& cluster) {
    std::vector<std::string> out;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
        out.emplace_back(cluster.text(cluster.node(i).name));
    return out;
}

std::vector<std::string> group_ids(const PassInput& input) {
    std::vector<std::string> out;
    for (const engine::Group& group : *input.snapshot.groups) out.push_back(group.group.id.value());
    std::ranges::sort(out);
    return out;
}

/// The pods of all namespaces, as "shop/web-1", ascending.
std::vector<std::string> pod_names(const engine::snapshot::Cluster& cluster) {
    std::vector<std::string> out;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        out.push_back(
            std::string(cluster.text(cluster.equivalence_group(pod.equivalence_group).ns)) + "/" +
            std::string(cluster.text(pod.name)));
    }
    std::ranges::sort(out);
    return out;
}

/// Names pods of other namespaces whose names begin with `name`; if there are none, a pod with a
/// similar name.
Error no_such_pod(const engine::snapshot::Cluster& cluster, const std::string& ns,
                  const std::string& name) {
    const std::string unknown = "no pod " + ns + "/" + name + " in this cluster";
    const std::vector<std::string> all = pod_names(cluster);
    std::vector<std::string> elsewhere;
    std::ranges::copy_if(all, std::back_inserter(elsewhere), [&](const std::string& pod) {
        return pod.substr(pod.find('/') + 1).starts_with(name);
    });
    if (!elsewhere.empty())
        return {ErrorCode::not_found,
                unknown + "; did you mean " + listed(elsewhere, std::identity(), 3) + "?"};
    return {ErrorCode::not_found, unknown + config::suggestion(ns + "/" + name, all)};
}

Result<Explained> ask(const PassInput& input, PassQuestion question) {
    CAPSTAN_TRY(PassAnswer answer, autoscaler::explain(input, std::move(question)));
    return Explained{.at = input.call_context.now, .answer = std::move(answer)};
}

struct FirstPod {
    engine::PodIndex pod = 0;
    engine::PodGroupId equivalence_group = 0;
};

/// How many pods a workload has, how many of them are pending, and the first pod of each
/// equivalence group of pending pods, by name.
struct WorkloadPods {
    std::size_t all = 0, waiting = 0;
    std::map<std::string, FirstPod> first_pods{};
};

WorkloadPods find_pods_of(const PassInput& input, const std::string& ns, const std::string& kind,
                          const std::string& name) {
    const engine::snapshot::Cluster& cluster = input.snapshot.cluster;
    WorkloadPods out;
    std::map<engine::PodGroupId, std::pair<std::string, engine::PodIndex>> first;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        const engine::snapshot::PodGroupRow& row = cluster.equivalence_group(pod.equivalence_group);
        if (cluster.text(row.ns) != ns || !is_of_workload(*row.owner, kind, name)) continue;
        ++out.all;
        if (!cluster.text(pod.node_name).empty()) continue;
        ++out.waiting;
        const std::string pod_name(cluster.text(pod.name));
        auto& kept = first[engine::snapshot::equivalence_group_at(cluster, pod,
                                                                  input.call_context.time().wall)];
        if (kept.first.empty() || pod_name < kept.first) kept = {pod_name, i};
    }
    for (const auto& [equivalence_group, pod] : first)
        out.first_pods[pod.first] = {pod.second, equivalence_group};
    return out;
}

/// How many pods a workload wants, and why its controller does not create them.
struct WantedPods {
    std::optional<int> count{};  ///< absent: not known
    std::string failure{};       ///< empty: no object says why
};

/// The objects of kind and name; of a Deployment its ReplicaSets.
WantedPods find_wanted(const engine::snapshot::Cluster& cluster, const std::string& ns,
                       const std::string& kind, const std::string& name) {
    WantedPods out;
    for (const auto& [key, object] : cluster.objects().controllers) {
        const engine::snapshot::PodOwner as_owner{.kind = object.kind, .name = object.name};
        if (object.ns != ns || !is_of_workload(as_owner, kind, name)) continue;
        const std::optional<int> wanted =
            object.kind == "Job" ? object.parallelism : object.replicas.value_or(1);
        if (wanted) out.count = out.count.value_or(0) + *wanted;
        if (out.failure.empty()) out.failure = object.failure;
    }
    return out;
}

}  // namespace

std::optional<Explainer::Found> Explainer::find_pod(const PassInput& input, const std::string& ns,
                                                    const std::string& name) {
    const engine::snapshot::Cluster& cluster = input.snapshot.cluster;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        if (cluster.text(pod.name) != name ||
            cluster.text(cluster.equivalence_group(pod.equivalence_group).ns) != ns)
            continue;
        const std::string node(cluster.text(pod.node_name));
        const engine::PodGroupId is_of =
            engine::snapshot::equivalence_group_at(cluster, pod, input.call_context.time().wall);
        return Found{i, node.empty() ? std::optional(is_of) : std::nullopt, node};
    }
    return std::nullopt;
}

void Explainer::remember_pods(const PassInput& input) {
    const engine::snapshot::Cluster& cluster = input.snapshot.cluster;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        const std::string_view name = cluster.text(pod.name);
        if (!name.starts_with(question_.pod_name) ||
            cluster.text(cluster.equivalence_group(pod.equivalence_group).ns) != question_.pod_ns)
            continue;
        const bool has_room = first_.size() < remembered_pods_max || name == question_.pod_name;
        if (!has_room && !first_.contains(std::string(name))) continue;
        std::optional<Seen>& seen = first_[std::string(name)];
        if (!seen && cluster.text(pod.node_name).empty())
            seen = Seen{input, engine::snapshot::equivalence_group_at(
                                   cluster, pod, input.call_context.time().wall)};
    }
}

void Explainer::note_deleted(std::string_view node, Duration since_start) {
    if (!asked_ && node == question_.node) node_deleted_at_ = since_start;
}

void Explainer::take_pass(const PassInput& input) {
    if (asked_) return;
    if (question_.at && input.call_context.now >= *question_.at) asked_ = input;
    if (!question_.pod_name.empty()) remember_pods(input);
    if (!question_.node.empty() && input.snapshot.cluster.find_node(question_.node))
        with_node_ = input;
}

void Explainer::finish() {
    if (!asked_) return;
    if (!question_.pod_name.empty()) {
        remember_pods(*asked_);
        const Result<std::string> name = search_pod();
        const std::string owner = name ? std::string() : find_owner_kind();
        result_ = name            ? explain_pod(*name)
                  : owner.empty() ? fail(name.error())
                                  : explain_workload(owner, question_.pod_name);
    } else if (!question_.workload_kind.empty()) {
        result_ = explain_workload(question_.workload_kind, question_.workload_name);
    } else if (!question_.node.empty()) {
        result_ = explain_node();
    } else if (!question_.group.empty()) {
        result_ = explain_group();
    } else {
        result_ = explain_matrix();
    }
}

Result<std::string> Explainer::search_pod() const {
    std::vector<std::string> names;
    for (const auto& [name, seen] : first_) names.push_back(name);
    if (names.empty())
        return fail(no_such_pod(asked().snapshot.cluster, question_.pod_ns, question_.pod_name));
    return search_name(
        question_.pod_name, names,
        "no pod " + question_.pod_ns + "/" + question_.pod_name + " in this cluster");
}

Result<Explained> Explainer::explain_pod(const std::string& name) const {
    const std::string subject = question_.pod_ns + "/" + name;
    const std::optional<Found> found = find_pod(asked(), question_.pod_ns, name);
    const std::optional<Seen>& first = first_.at(name);
    Explained out{.at = asked().call_context.now};
    if (found && found->waiting) {
        CAPSTAN_TRY(out, explain_waiting(*found->waiting, found->pod));
    } else {
        const std::string state = found ? "bound to node " + found->node : "deleted";
        if (first) {
            CAPSTAN_TRY(out, ask(first->input, {.equivalence_group = first->equivalence_group}));
        }
        out.state = state + (first ? "; explained as of when it was first pending" : "");
    }
    out.subject = subject;
    return out;
}

/// A pod that the scheduler must not bind is not said to be missed by it.
Result<Explained> Explainer::explain_waiting(engine::PodGroupId equivalence_group,
                                             engine::PodIndex pod) const {
    CAPSTAN_TRY(Explained out, ask(asked(), {.equivalence_group = equivalence_group, .pod = pod}));
    const engine::ReasonCode skipped =
        out.answer.pod ? out.answer.pod->skipped.code : engine::ReasonCode::none;
    if (skipped != engine::ReasonCode::scheduling_gated &&
        skipped != engine::ReasonCode::being_deleted)
        out.state = missed_by_scheduler(equivalence_group);
    return out;
}

std::string Explainer::find_owner_kind() const {
    for (const char* kind : {"ReplicaSet", "StatefulSet", "Job", "Deployment"}) {
        const std::vector<std::string> names =
            workloads(asked().snapshot.cluster, kind, question_.pod_ns);
        if (std::ranges::binary_search(names, question_.pod_name) ||
            names_beginning_with(question_.pod_name + "-", names).size() == 1)
            return kind;
    }
    return {};
}

Result<Explained> Explainer::explain_workload(const std::string& kind,
                                              const std::string& typed) const {
    const std::string& ns = question_.pod_ns;
    const engine::snapshot::Cluster& cluster = asked().snapshot.cluster;
    CAPSTAN_TRY(const std::string name,
                search_name(typed, workloads(cluster, kind, ns),
                            "no " + kind + " " + typed + " in namespace " + ns));
    const WorkloadPods pods = find_pods_of(asked(), ns, kind, name);
    const WantedPods wanted = find_wanted(cluster, ns, kind, name);
    Explained out{
        .at = asked().call_context.now,
        .state = std::to_string(pods.waiting) + " of " + counted(pods.all, "pod") + " pending",
        .subject = ns + "/" + name,
        .is_workload = true};
    const int count = wanted.count.value_or(0), missing = count - static_cast<int>(pods.all);
    if (missing > 0 || (pods.all == 0 && wanted.count)) {
        out.state = kind + " wants " + counted(count, "pod") + ", has " + std::to_string(pods.all);
        if (!wanted.failure.empty()) {
            out.state += ": " + wanted.failure;
        } else if (missing > 0) {
            out.state += ": its controller has not created " +
                         std::string(pods.all == 0 ? "them" : "the others");
        }
        out.remedy = engine::remedy_for_missing_pods(wanted.failure, missing > 0);
    }
    for (const auto& [pod, first] : pods.first_pods) {
        CAPSTAN_TRY(Explained one, explain_waiting(first.equivalence_group, first.pod));
        one.subject = ns + "/" + pod;
        out.pods.push_back(std::move(one));
    }
    return out;
}

Result<Explained> Explainer::explain_node() const {
    const engine::snapshot::Cluster& cluster = asked().snapshot.cluster;
    if (!cluster.find_node(question_.node) && with_node_) {
        CAPSTAN_TRY(Explained out, ask(*with_node_, {.node = question_.node}));
        out.state = "removed";
        if (node_deleted_at_) out.state += " at " + format_rough_duration(*node_deleted_at_);
        out.state += "; explained as of when it was last seen";
        return out;
    }
    CAPSTAN_TRY(const std::string name,
                search_name(question_.node, node_names(cluster),
                            "no node " + in_quotes(question_.node) + " in this cluster"));
    return ask(asked(), {.node = name});
}

namespace {

std::string size_text(const NodeGroup& group) {
    const std::string target = group.target ? std::to_string(*group.target) : "?";
    if (group.max) return target + " of " + counted(*group.max, "node");
    return group.target ? counted(*group.target, "node") : "unknown size";
}

std::string requests_text(const Resources& requests) {
    std::string out;
    for (const auto& [resource, amount] : requests)
        out += (out.empty() ? "" : ", ") + resource + " " + format_amount(resource, amount);
    return out.empty() ? "no requests" : out;
}

}  // namespace

/// Asks for the exact id first: the pass also knows groups that could be made.
Result<Explained> Explainer::explain_group() const {
    Result<Explained> exact = ask(asked(), {.group = question_.group});
    if (exact || exact.error().code != ErrorCode::not_found) return exact;
    CAPSTAN_TRY(const std::string id,
                search_name(question_.group.value(), group_ids(asked()), exact.error().message));
    return ask(asked(), {.group = NodeGroupId(id)});
}

Result<Explained> Explainer::explain_matrix() const {
    CAPSTAN_TRY(Explained out, ask(asked(), {}));
    if (!out.answer.matrix) return out;
    const std::vector<engine::Group>& groups = *asked().snapshot.groups;
    for (const NodeGroupId& id : out.answer.matrix->groups) {
        const auto group =
            std::ranges::find(groups, id, [](const engine::Group& each) { return each.group.id; });
        out.sizes.push_back(group == groups.end() ? "" : size_text(group->group));
    }
    const engine::snapshot::Cluster& cluster = asked().snapshot.cluster;
    for (const engine::PodCount& pods : out.answer.matrix->pod_groups)
        out.requests.push_back(
            requests_text(cluster.equivalence_group(pods.equivalence_group).spec->requests));
    return out;
}

std::string Explainer::missed_by_scheduler(engine::PodGroupId equivalence_group) const {
    if (!question_.untried_default_spread) return {};
    const engine::snapshot::Cluster cluster = engine::snapshot::with_default_spread(
        asked().snapshot.cluster, *question_.untried_default_spread);
    const auto node =
        engine::scheduling::find_nodes(cluster, std::array{equivalence_group}).front();
    if (!node) return {};
    const std::string& scheduler = cluster.equivalence_group(equivalence_group).spec->scheduler;
    return "pending in the dump; would fit on " +
           std::string(cluster.text(cluster.node(*node).name)) + " now, but " +
           (scheduler == engine::snapshot::PodSpec().scheduler
                ? "is not bound to it"
                : "scheduler " + in_quotes(scheduler) + " has not bound it");
}

}  // namespace capstan::autoscaler::questions
