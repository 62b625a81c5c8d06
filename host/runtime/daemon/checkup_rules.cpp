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

/// Grows by what several parts of the daemon need; a rule that two of them name has both purposes.
class Needs {
public:
    void add(AccessRule rule, const std::string& purpose) {
        const auto known = std::ranges::find(rules_, rule, &NeededRule::rule);
        if (known == rules_.end()) {
            rules_.push_back({.rule = std::move(rule), .purpose = purpose});
        } else if (known->purpose != purpose) {
            known->purpose += ", and to " + purpose;
        }
    }
    void add(std::initializer_list<std::string_view> verbs, const AccessRule& like,
             const std::string& purpose) {
        for (const std::string_view verb : verbs) {
            AccessRule rule = like;
            rule.verb = verb;
            // A name does not exist yet when it is made, so no rule can name it.
            if (verb == "create") rule.name.clear();
            add(std::move(rule), purpose);
        }
    }
    NeededRule& last() { return rules_.back(); }
    std::vector<NeededRule> take() { return std::move(rules_); }

private:
    std::vector<NeededRule> rules_{};
};

void add_of_config_maps(Needs& needs, const Cluster& config) {
    const AccessRule memory{.resource = "configmaps",
                            .ns = config.kube_namespace,
                            .name = config.memory_config_map_name};
    needs.add({"create", "get", "update"}, memory,
              "remember back-offs, requests and removals over a restart");
    if (!config.write_status_configmap) return;
    const AccessRule status{.resource = "configmaps",
                            .ns = config.kube_namespace,
                            .name = config.status_config_map_name};
    needs.add({"create", "get", "update"}, status, "tell the status that upstream's tools read");
    needs.add({"delete"}, status, "leave no status behind that nobody keeps up to date");
}

void add_of_passes(Needs& needs, const Cluster& config) {
    for (const kubernetes::MirrorKind& kind : kubernetes::mirror_kinds()) {
        needs.add({"list", "watch"},
                  {.group = std::string(kind.resource.group),
                   .resource = std::string(kind.resource.plural)},
                  std::string(kind.purpose));
    }
    const AccessRule nodes{.resource = "nodes"};
    needs.add({"get"}, nodes, "read a node before it is changed");
    needs.add({"patch"}, nodes, "taint and cordon nodes that go");
    needs.last().instead = AccessRule{.verb = "update", .resource = "nodes"};
    needs.add({"create"}, {.resource = "pods", .subresource = "eviction"},
              "drain nodes that go within disruption budgets");
    add_of_config_maps(needs, config);
}

void add_of_plugin(Needs& needs, const PluginConfig& plugin) {
    const std::string purpose = "serve plugin " + plugin.id.value() + ", which was granted it";
    for (const KubeGrant& grant : read_kube_grants(plugin.grants.kube)) {
        // An empty namespace stands for all of them.
        std::set<std::string> spaces = grant.namespaces;
        if (spaces.empty()) spaces.insert("");
        for (const std::string& ns : spaces)
            for (const KubeGrant::Allowed& allowed : grant.allowed)
                needs.add({.verb = allowed.verb,
                           .group = grant.group,
                           .resource = grant.plural,
                           .subresource = allowed.subresource,
                           .ns = ns},
                          purpose);
    }
}

}  // namespace

std::vector<NeededRule> needed_rules(const Config& config) {
    Needs needs;
    const Cluster& cluster = config.cluster;
    if (!config.pipeline.clouds.empty()) add_of_passes(needs, cluster);
    needs.add({"create", "patch"}, {.resource = "events"}, "tell in events what was done and why");
    if (cluster.leader_election.enabled) {
        needs.add({"create", "get", "update"},
                  {.group = "coordination.k8s.io",
                   .resource = "leases",
                   .ns = cluster.kube_namespace,
                   .name = cluster.leader_election.lease},
                  "have one of several hosts act and the others stand by");
    }
    for (const PluginConfig& plugin : config.plugins) add_of_plugin(needs, plugin);
    return needs.take();
}

}  // namespace capstan::runtime
