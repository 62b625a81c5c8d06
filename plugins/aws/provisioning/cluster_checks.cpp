#include "cluster_checks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/kube.hpp>
#include <capstan/labels.hpp>
#include <capstan/pages.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

/// Whose labels clouds, Kubernetes and autoscalers give to nodes by themselves.
constexpr std::array<std::string_view, 7> provided_domains{
    "kubernetes.io", "k8s.io",    "amazonaws.com", "k8s.aws",
    "karpenter.sh",  "eksctl.io", "capstan.io"};
/// Beginnings of keys of taints that come and go.
constexpr std::array<std::string_view, 5> passing_taints{
    "node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler", "node.cilium.io/"};

bool is_provided(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view domain = key.substr(0, slash);
    return std::ranges::any_of(provided_domains, [domain](std::string_view parent) {
        return domain == parent || domain.ends_with("." + std::string(parent));
    });
}

bool is_passing(std::string_view taint) {
    return std::ranges::any_of(passing_taints,
                               [taint](std::string_view part) { return taint.starts_with(part); });
}

/// "label team=a", "taint dedicated=gpu:NoSchedule": of one node what a template would tell.
std::set<std::string> marks_of(const Json& node) {
    std::set<std::string> out;
    if (const Json* const labels = node.find({"metadata", "labels"}))
        for (const auto& [key, value] : labels->members())
            if (!is_provided(key)) out.insert("label " + key + "=" + value.text());
    if (const Json* const taints = node.find({"spec", "taints"})) {
        for (const Json& taint : taints->items()) {
            const std::string& key = taint.text_at({"key"});
            const std::string& value = taint.text_at({"value"});
            if (!is_passing(key))
                out.insert("taint " + key + (value.empty() ? "" : "=" + value) + ":" +
                           taint.text_at({"effect"}));
        }
    }
    return out;
}

std::set<std::string> told_marks(const NodeTemplate& node) {
    std::set<std::string> out;
    for (const auto& [key, value] : node.labels) out.insert("label " + key + "=" + value);
    for (const Taint& taint : node.taints) out.insert("taint " + to_string(taint));
    return out;
}

/// What all of a group's nodes carry; nothing: it has none.
std::optional<std::set<std::string>> common_marks(
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

bool has_amount(const Json& container, std::string_view resource) {
    return container.find({"resources", "requests", resource}) != nullptr ||
           container.find({"resources", "limits", resource}) != nullptr;
}

const KubeResource& node_kind() {
    static const KubeResource kind("", "v1", "nodes", "Node", false);
    return kind;
}
const KubeResource& daemon_set_kind() {
    static const KubeResource kind("apps", "v1", "daemonsets", "DaemonSet");
    return kind;
}

Task<Page<Json>> read_object_page(Host host, KubeResource kind, std::string token) {
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

std::string not_checked(const std::string& what, const std::string& right, const Error& error) {
    return "not checked: " + what + ": " +
           (error.code == ErrorCode::permission ? "it takes " + in_quotes(right) + " in grants.kube"
                                                : error.message);
}

Task<std::vector<Json>> read_objects(Host host, KubeResource kind) {
    const std::function<Task<Page<Json>>(std::string)> read = [host, kind](std::string token) {
        return read_object_page(host, kind, std::move(token));
    };
    co_return co_await read_pages(read);
}

}  // namespace

std::vector<std::string> find_untold_marks(const std::vector<Json>& nodes,
                                           const std::vector<CheckedGroup>& groups) {
    std::map<std::string, std::set<std::string>> by_id;
    for (const Json& node : nodes)
        by_id.emplace(node.text_at({"spec", "providerID"}), marks_of(node));
    std::vector<std::string> out;
    for (const CheckedGroup& group : groups) {
        std::optional<std::set<std::string>> marks = common_marks(group, by_id);
        if (!marks) continue;
        for (const std::string& told : told_marks(group.node)) marks->erase(told);
        if (marks->empty()) continue;
        out.push_back("group " + group.name + ": its nodes have the " +
                      listed(*marks, [](const std::string& mark) { return mark; }) +
                      ", which its tags do not tell; a new node is taken to be without");
    }
    return out;
}

std::vector<std::string> find_missing_requests(const std::vector<Json>& daemon_sets) {
    std::vector<std::string> out;
    for (const Json& set : daemon_sets) {
        std::vector<std::string> missing;
        const Json* const containers = set.find({"spec", "template", "spec", "containers"});
        if (containers == nullptr) continue;
        for (const Json& container : containers->items())
            for (const std::string_view resource : {"cpu", "memory"})
                if (!has_amount(container, resource))
                    missing.push_back(container.text_at({"name"}) + " no " + std::string(resource));
        if (missing.empty()) continue;
        out.push_back("DaemonSet " + set.text_at({"metadata", "namespace"}) + "/" +
                      set.text_at({"metadata", "name"}) + ": of its containers request " +
                      listed(missing, [](const std::string& text) { return text; }) +
                      "; a new node is taken to have more room than it has");
    }
    return out;
}

Task<std::vector<std::string>> check_cluster(Host host, std::vector<CheckedGroup> groups) {
    std::vector<std::string> out;
    const auto append = [&out](std::vector<std::string> more) {
        std::ranges::move(more, std::back_inserter(out));
    };
    const auto nodes = co_await as_result(read_objects(host, node_kind()));
    if (nodes) {
        append(find_untold_marks(*nodes, groups));
    } else {
        out.push_back(not_checked("whether tags tell the labels and taints of nodes", "nodes:list",
                                  nodes.error()));
    }
    const auto sets = co_await as_result(read_objects(host, daemon_set_kind()));
    if (sets) {
        append(find_missing_requests(*sets));
    } else {
        out.push_back(not_checked("whether containers of DaemonSets have requests",
                                  "daemonsets.apps:list", sets.error()));
    }
    co_return out;
}

}  // namespace capstan::aws
