/// Checks two properties of a cluster that node templates rely on.
///
/// When a group is backed off, its pods are planned on other groups at once, from the templates of
/// those groups. So a template must match the nodes that will join: labels and taints of nodes must
/// be in what the cloud reports for the group (tags, metadata), and the containers of DaemonSets
/// need requests.
///
///     std::vector<CheckedGroup> groups = co_await checked_groups();    // in self_check
///     const std::vector<std::string> found = co_await check_cluster(host_, std::move(groups));
///     for (const std::string& sentence : found) host_.warn(sentence);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/kube.hpp>
#include <capstan/labels.hpp>
#include <capstan/node_template.hpp>
#include <capstan/pages.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A group with its machines.
struct CheckedGroup {
    std::string name{};
    NodeTemplate node{};                      ///< the template that its cloud reports
    std::vector<std::string> provider_ids{};  ///< of its machines
};

namespace detail {

/// Domains of the labels that clouds, Kubernetes and autoscalers add to nodes themselves.
inline constexpr std::array<std::string_view, 9> provided_domains{
    "kubernetes.io", "k8s.io",    "capstan.io",       "karpenter.sh", "amazonaws.com",
    "k8s.aws",       "eksctl.io", "cloud.google.com", "gke.io"};
/// Prefixes of the keys of temporary taints.
inline constexpr std::array<std::string_view, 6> passing_taints{
    well_known::node_prefix,
    well_known::node_cloud_provider_prefix,
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "node.cilium.io/",
    "cloud.google.com/impending-node-termination"};

inline bool is_provided_label(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view domain = key.substr(0, slash);
    return std::ranges::any_of(provided_domains, [domain](std::string_view parent) {
        if (!domain.ends_with(parent)) return false;
        const std::string_view below = domain.substr(0, domain.size() - parent.size());
        return below.empty() || below.ends_with('.');
    });
}

inline bool is_passing_taint(std::string_view taint) {
    return std::ranges::any_of(passing_taints,
                               [taint](std::string_view part) { return taint.starts_with(part); });
}

/// The labels and taints of one node that its template should have, as text: "label team=a",
/// "taint dedicated=gpu:NoSchedule".
inline std::set<std::string> marks_of_node(const Json& node) {
    std::set<std::string> out;
    if (const Json* const labels = node.find({"metadata", "labels"}))
        for (const auto& [key, value] : labels->members())
            if (!is_provided_label(key)) out.insert("label " + key + "=" + value.text());
    if (const Json* const taints = node.find({"spec", "taints"})) {
        for (const Json& taint : taints->items()) {
            const std::string& key = taint.text_at({"key"});
            const std::string& value = taint.text_at({"value"});
            if (!is_passing_taint(key))
                out.insert("taint " + key + (value.empty() ? "" : "=" + value) + ":" +
                           taint.text_at({"effect"}));
        }
    }
    return out;
}

inline std::set<std::string> marks_of_template(const NodeTemplate& node) {
    std::set<std::string> out;
    for (const auto& [key, value] : node.labels) out.insert("label " + key + "=" + value);
    for (const Taint& taint : node.taints) out.insert("taint " + to_string(taint));
    return out;
}

/// The labels and taints that all nodes of a group have; absent: the group has no node.
inline std::optional<std::set<std::string>> common_marks(
    const CheckedGroup& group, const std::map<std::string, std::set<std::string>>& by_id) {
    std::optional<std::set<std::string>> out;
    for (const std::string& id : group.provider_ids) {
        const auto node = by_id.find(id);
        if (node == by_id.end()) continue;
        if (!out) out = node->second;
        std::erase_if(*out, [&](const auto& mark) { return !node->second.contains(mark); });
    }
    return out;
}

inline bool has_amount(const Json& container, std::string_view resource) {
    return container.find({"resources", "requests", resource}) != nullptr ||
           container.find({"resources", "limits", resource}) != nullptr;
}

inline const KubeResource& checked_nodes() {
    static const KubeResource kind("", "v1", "nodes", "Node", false);
    return kind;
}
inline const KubeResource& checked_daemon_sets() {
    static const KubeResource kind("apps", "v1", "daemonsets", "DaemonSet");
    return kind;
}

inline Task<Page<Json>> read_object_page(Host host, KubeResource kind, std::string token) {
    constexpr std::int64_t most = 500;
    KubeRequest request = KubeRequest::list(std::move(kind)).page(most, std::move(token));
    const KubeReply reply = co_await send(host, std::move(request));
    Result<Json> read = parse_json(reply.body);
    if (!read) throw Failure(std::move(read).error());
    Page<Json> out;
    out.next = read->text_at({"metadata", "continue"});
    if (const Json* const items = read->find("items")) out.items = items->items();
    co_return out;
}

inline std::string not_checked(const std::string& what, const std::string& right,
                               const Error& error) {
    return "not checked: " + what + ": " +
           (error.code == ErrorCode::permission ? "add " + in_quotes(right) + " to grants.kube"
                                                : error.message);
}

inline Task<std::vector<Json>> read_objects(Host host, KubeResource kind) {
    const std::function<Task<Page<Json>>(std::string)> read = [host, kind](std::string token) {
        return read_object_page(host, kind, std::move(token));
    };
    co_return co_await read_pages(read);
}

}  // namespace detail

/// The labels and taints that all nodes of a group have and its template lacks: a sentence for each
/// such group. Labels of Kubernetes, clouds and autoscalers are ignored, and so are temporary
/// taints.
inline std::vector<std::string> find_unreported_marks(const std::vector<Json>& nodes,
                                                      const std::vector<CheckedGroup>& groups) {
    std::map<std::string, std::set<std::string>> by_id;
    for (const Json& node : nodes)
        by_id.emplace(node.text_at({"spec", "providerID"}), detail::marks_of_node(node));
    std::vector<std::string> out;
    for (const CheckedGroup& group : groups) {
        std::optional<std::set<std::string>> marks = detail::common_marks(group, by_id);
        if (!marks) continue;
        for (const std::string& told : detail::marks_of_template(group.node)) marks->erase(told);
        if (marks->empty()) continue;
        out.push_back("group " + group.name + ": all its nodes have " +
                      listed(*marks, [](const std::string& mark) { return mark; }) +
                      ", but its template does not, so new nodes are planned without them");
    }
    return out;
}

/// Containers that request no cpu or no memory: a sentence for each DaemonSet with such a
/// container. Limits count as requests.
inline std::vector<std::string> find_missing_requests(const std::vector<Json>& daemon_sets) {
    std::vector<std::string> out;
    for (const Json& set : daemon_sets) {
        std::vector<std::string> missing;
        const Json* const containers = set.find({"spec", "template", "spec", "containers"});
        if (containers == nullptr) continue;
        for (const Json& container : containers->items())
            for (const std::string_view resource : {"cpu", "memory"})
                if (!detail::has_amount(container, resource))
                    missing.push_back(container.text_at({"name"}) + " (" + std::string(resource) +
                                      ")");
        if (missing.empty()) continue;
        out.push_back("DaemonSet " + set.text_at({"metadata", "namespace"}) + "/" +
                      set.text_at({"metadata", "name"}) + ": containers without requests: " +
                      listed(missing, [](const std::string& text) { return text; }) +
                      "; new nodes have less room than is planned for");
    }
    return out;
}

/// [strand] Runs both checks on the live cluster. For a list that fails, for example without its
/// grant (`nodes:list`, `daemonsets.apps:list`), the result has a sentence that begins with "not
/// checked".
inline Task<std::vector<std::string>> check_cluster(Host host, std::vector<CheckedGroup> groups) {
    std::vector<std::string> out;
    const auto append = [&out](std::vector<std::string> more) {
        std::ranges::move(more, std::back_inserter(out));
    };
    const auto nodes = co_await as_result(detail::read_objects(host, detail::checked_nodes()));
    if (nodes) {
        append(find_unreported_marks(*nodes, groups));
    } else {
        out.push_back(detail::not_checked("labels and taints of nodes against templates",
                                          "nodes:list", nodes.error()));
    }
    const auto sets = co_await as_result(detail::read_objects(host, detail::checked_daemon_sets()));
    if (sets) {
        append(find_missing_requests(*sets));
    } else {
        out.push_back(detail::not_checked("requests of DaemonSet containers",
                                          "daemonsets.apps:list", sets.error()));
    }
    co_return out;
}

CAPSTAN_NAMESPACE_END
