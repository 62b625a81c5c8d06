#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "kubernetes/client/watch/mirror_kinds.hpp"
#include "runtime/config/kube_grant.hpp"
#include "runtime/daemon/checkup.hpp"

namespace capstan::runtime {
namespace {

using kubernetes::AccessRule;

void add_named(std::vector<AccessRule>& out, std::initializer_list<std::string_view> verbs,
               const AccessRule& like) {
    for (const std::string_view verb : verbs) {
        out.push_back(like);
        out.back().verb = verb;
        // A name does not exist yet when it is made, so no rule can name it.
        if (verb == "create") out.back().name.clear();
    }
}

void add_config_map(std::vector<AccessRule>& out, std::initializer_list<std::string_view> verbs,
                    const std::string& ns, const std::string& name) {
    add_named(out, verbs, {.resource = "configmaps", .ns = ns, .name = name});
}

void add_of_passes(std::vector<AccessRule>& out, const Cluster& config) {
    for (const kubernetes::MirrorKind& kind : kubernetes::mirror_kinds()) {
        add_named(out, {"list", "watch"},
                  {.group = std::string(kind.resource.group),
                   .resource = std::string(kind.resource.plural)});
    }
    add_named(out, {"get", "patch", "update"}, {.resource = "nodes"});
    add_named(out, {"create"}, {.resource = "pods", .subresource = "eviction"});
    add_config_map(out, {"create", "get", "update"}, config.kube_namespace,
                   config.memory_config_map_name);
    if (config.write_status_configmap)
        add_config_map(out, {"create", "get", "update", "delete"}, config.kube_namespace,
                       config.status_config_map_name);
}

void add_of_plugin(std::vector<AccessRule>& out, const PluginConfig& plugin) {
    for (const KubeGrant& grant : read_kube_grants(plugin.grants.kube)) {
        // An empty namespace stands for all of them.
        std::set<std::string> spaces = grant.namespaces;
        if (spaces.empty()) spaces.insert("");
        for (const std::string& ns : spaces)
            for (const KubeGrant::Allowed& allowed : grant.allowed)
                out.push_back({.verb = allowed.verb,
                               .group = grant.group,
                               .resource = grant.plural,
                               .subresource = allowed.subresource,
                               .ns = ns});
    }
}

}  // namespace

std::vector<AccessRule> needed_rules(const Config& config) {
    std::vector<AccessRule> out;
    const Cluster& cluster = config.cluster;
    if (!config.pipeline.clouds.empty()) add_of_passes(out, cluster);
    add_named(out, {"create", "patch"}, {.resource = "events"});
    if (cluster.leader_election.enabled) {
        add_named(out, {"create", "get", "update"},
                  {.group = "coordination.k8s.io",
                   .resource = "leases",
                   .ns = cluster.kube_namespace,
                   .name = cluster.leader_election.lease});
    }
    for (const PluginConfig& plugin : config.plugins) add_of_plugin(out, plugin);
    std::vector<AccessRule> once;
    for (AccessRule& rule : out)
        if (std::ranges::find(once, rule) == once.end()) once.push_back(std::move(rule));
    return once;
}

}  // namespace capstan::runtime
