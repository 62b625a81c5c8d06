#include "outcome.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include <capstan/time_text.hpp>

#include "autoscaler/record/memory_text.hpp"
#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/access/credentials_stored.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"

namespace capstan::faults {
namespace {

using namespace simulator;
using namespace simulator::api_server;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

constexpr const char* system_space = "kube-system";

std::string joined(Lines texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : " ") + text;
    return out;
}

std::string object_name(const ApiObject& object) {
    return std::string(text_at(*object, "metadata.name"));
}

std::string nodes_of(DaemonFixture& fixture) {
    Lines out;
    for (const ApiObject& node : fixture.store().list(fixture.store().kind("nodes")).items)
        out.push_back(object_name(node) +
                      (is_true_at(*node, "spec.unschedulable") ? "(cordoned)" : ""));
    return joined(out);
}

std::string pods_of(DaemonFixture& fixture) {
    Lines out;
    for (const ApiObject& pod : fixture.store().list(fixture.store().kind("pods")).items)
        out.push_back(object_name(pod) + "@" + std::string(text_at(*pod, "spec.nodeName")));
    return joined(out);
}

bool is_hint(const std::string& mark) { return mark.ends_with(hint_taint); }

std::string marks_of(const Record& record) {
    Lines out;
    for (const auto& [mark, times] : record.marks)
        if (!is_hint(mark)) out.push_back(mark + " x" + std::to_string(times));
    return joined(out);
}

/// Soft taints that were set more than once. A soft taint may be missing, because the time for them
/// is bounded.
std::string hints_of(const Record& record) {
    Lines out;
    for (const auto& [mark, times] : record.marks)
        if (is_hint(mark) && times > 1) out.push_back(mark + " x" + std::to_string(times));
    return out.empty() ? "none" : joined(out);
}

ApiObject lease_in(DaemonFixture& fixture) {
    return fixture.store().find(fixture.store().kind("leases.coordination.k8s.io"), system_space,
                                "cluster-autoscaler");
}

std::string lease_of(DaemonFixture& fixture) {
    const ApiObject lease = lease_in(fixture);
    if (lease == nullptr) return "none";
    const auto renewed = find_rfc3339(text_at(*lease, "spec.renewTime"));
    const bool is_fresh = renewed && fixture.store().now() - *renewed < 5s;
    return std::string(text_at(*lease, "spec.holderIdentity")) +
           (is_fresh ? ", renewed" : ", old") + ", transitions " +
           std::to_string(integer_at(*lease, "spec.leaseTransitions").value_or(-1));
}

ApiObject config_map(DaemonFixture& fixture, const char* name) {
    return fixture.store().find(fixture.store().kind("configmaps"), system_space, name);
}

/// Whether the ConfigMap has the memory of the last pass.
std::string memory_of(DaemonFixture& fixture) {
    const ApiObject map = config_map(fixture, "capstan-memory");
    if (map == nullptr || fixture.record().last_pass == nullptr) return "none";
    const auto wanted = autoscaler::record::memory_text(fixture.record().last_pass->memory, "test");
    const bool is_equal = wanted && autoscaler::record::memory_part(text_at(*map, "data.memory")) ==
                                        autoscaler::record::memory_part(*wanted);
    return is_equal ? "as the daemon has it" : "another";
}

/// Whether the status ConfigMap is of the last pass.
std::string status_of(DaemonFixture& fixture) {
    const ApiObject map = config_map(fixture, "cluster-autoscaler-status");
    if (map == nullptr || fixture.record().last_pass == nullptr) return "none";
    const std::string at = format_rfc3339(fixture.record().last_pass->wall_at(), 0);
    const std::string day_and_time = at.substr(0, 10) + " " + at.substr(11, 8);
    return text_at(*map, "data.status").find(day_and_time) != std::string_view::npos
               ? "of the last pass"
               : "older";
}

/// The problems of the last pass.
std::string problems_of(const Record& record) {
    Lines out;
    if (record.last_pass == nullptr) return "no pass";
    for (const Error& problem : record.last_pass->problems) out.push_back(problem.message);
    return out.empty() ? "none" : joined(out);
}

Lines node_texts(const engine::snapshot::Cluster& cluster) {
    Lines out;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        const engine::snapshot::NodeRow& node = cluster.node(i);
        std::string text(cluster.text(node.name));
        text += " " + std::string(cluster.text(node.provider_id));
        for (const auto& each : {node.labels, node.annotations})
            for (const auto& [key, value] : engine::snapshot::to_labels(cluster, each))
                text += " " + key + "=" + value;
        for (const Taint& taint : node.taints)
            text += " " + taint.key + "=" + taint.value + ":" + std::string(name_of(taint.effect));
        for (const std::int64_t amount : cluster.allocatable(i))
            text += " " + std::to_string(amount);
        out.push_back(text + (node.unschedulable ? " cordoned" : "") +
                      (node.ready ? " ready" : ""));
    }
    return out;
}

Lines pod_texts(const engine::snapshot::Cluster& cluster) {
    Lines out;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        const engine::snapshot::PodGroupRow& group =
            cluster.equivalence_group(pod.equivalence_group);
        std::string text;
        for (const engine::snapshot::Symbol symbol :
             {group.ns, pod.name, pod.uid, pod.node_name, pod.unscheduled_reason})
            text += std::string(cluster.text(symbol)) + " ";
        for (const engine::snapshot::Request& request : group.requests)
            text += std::to_string(request.amount);
        out.push_back(text + (pod.deleted ? " deleted" : ""));
    }
    std::ranges::sort(out);
    return out;
}

std::string difference_in(const char* what, const Lines& a, const Lines& b) {
    if (a == b) return {};
    std::string out = std::string(what) + ":\n";
    for (const std::string& text : a) out += "  < " + text + "\n";
    for (const std::string& text : b) out += "  > " + text + "\n";
    return out;
}

template <class Map>
std::string difference_in(const char* what, const Map& a, const Map& b) {
    if (a == b) return {};
    Lines left, right;
    for (const auto& [name, object] : a) left.push_back(name);
    for (const auto& [name, object] : b) right.push_back(name);
    return std::string(what) + ": [" + joined(left) + "] and [" + joined(right) + "]\n";
}

}  // namespace

std::string outcome_of(DaemonFixture& fixture) {
    const Record& record = fixture.record();
    Lines ever(record.nodes.begin(), record.nodes.end());
    return "nodes: " + nodes_of(fixture) + "\never: " + joined(ever) +
           "\npods: " + pods_of(fixture) + "\nmarked: " + marks_of(record) +
           "\nsoft taints set twice: " + hints_of(record) + "\nevicted: " + joined(record.evicted) +
           "\nlease: " + lease_of(fixture) + "\nmemory: " + memory_of(fixture) +
           "\nstatus: " + status_of(fixture) + "\nproblems: " + problems_of(record) + "\n";
}

std::string state_after_stop(DaemonFixture& fixture) {
    const ApiObject lease = lease_in(fixture);
    const std::string_view holder =
        lease == nullptr ? std::string_view() : text_at(*lease, "spec.holderIdentity");
    const bool has_status = config_map(fixture, "cluster-autoscaler-status") != nullptr;
    return "lease: " + (holder.empty() ? "none" : std::string(holder)) +
           "\nstatus: " + (has_status ? "exists" : "none") + "\n";
}

std::string difference(const engine::snapshot::Cluster& a, const engine::snapshot::Cluster& b) {
    const engine::snapshot::ClusterObjects &x = a.objects(), &y = b.objects();
    Lines daemons[2];
    for (const auto& row : a.daemon_sets()) daemons[0].push_back(row.object->name);
    for (const auto& row : b.daemon_sets()) daemons[1].push_back(row.object->name);
    return difference_in("nodes", node_texts(a), node_texts(b)) +
           difference_in("pods", pod_texts(a), pod_texts(b)) +
           difference_in("daemon sets", daemons[0], daemons[1]) +
           difference_in("budgets", x.budgets, y.budgets) +
           difference_in("controllers", x.controllers, y.controllers) +
           difference_in("claims", x.claims, y.claims) +
           difference_in("volumes", x.volumes, y.volumes) +
           difference_in("storage classes", x.storage_classes, y.storage_classes) +
           difference_in("CSI nodes", x.csi_nodes, y.csi_nodes) +
           difference_in("CSI drivers", x.csi_drivers, y.csi_drivers) +
           difference_in("CSI capacities", x.csi_capacities, y.csi_capacities) +
           difference_in("namespaces", x.namespaces, y.namespaces) +
           difference_in("services", x.services, y.services);
}

engine::snapshot::Cluster cluster_of(DaemonFixture& fixture) {
    fixture.server().faults().clear();
    const auto credentials = *kubernetes::client::make_stored_credentials(fixture.loop(), {});
    kubernetes::client::ApiClient api(fixture.network(), fixture.loop(), *credentials,
                                      {.server = "http://api.local", .requests_per_second = 0});
    kubernetes::client::ClusterCache mirror(api, fixture.loop(), {.watch_list = false});
    mirror.start();
    fixture.pass_time(1s);
    auto cluster = mirror.cluster(1h);
    if (!cluster) throw std::runtime_error(cluster.error().message);
    return *std::move(cluster);
}

Events events_of(DaemonFixture& fixture) {
    Events out;
    std::set<std::string> seen;
    for (const ApiObject& event : fixture.events()) {
        const std::string text = std::string(text_at(*event, "reason")) + " " +
                                 std::string(text_at(*event, "involvedObject.name"));
        out.all.insert(text);
        if (integer_at(*event, "count").value_or(1) > 1) out.counted.insert(text);
        if (!seen.insert(text + " " + std::string(text_at(*event, "message"))).second)
            out.twice.insert(text);
    }
    return out;
}

}  // namespace capstan::faults
