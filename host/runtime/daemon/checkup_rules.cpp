#include <initializer_list>
#include <string_view>

#include "kubernetes/client/watch/mirror_kinds.hpp"
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

}  // namespace

std::vector<AccessRule> needed_rules(const Cluster& config) {
    std::vector<AccessRule> out;
    for (const kubernetes::MirrorKind& kind : kubernetes::mirror_kinds()) {
        add_named(out, {"list", "watch"},
                  {.group = std::string(kind.resource.group),
                   .resource = std::string(kind.resource.plural)});
    }
    add_named(out, {"get", "patch", "update"}, {.resource = "nodes"});
    add_named(out, {"create"}, {.resource = "pods", .subresource = "eviction"});
    add_named(out, {"create", "patch"}, {.resource = "events"});
    const std::string& ns = config.kube_namespace;
    const auto config_map = [&](const std::string& name) {
        add_named(out, {"create", "get", "update"},
                  {.resource = "configmaps", .ns = ns, .name = name});
    };
    config_map(config.memory_config_map_name);
    if (config.write_status_configmap) {
        config_map(config.status_config_map_name);
        add_named(out, {"delete"},
                  {.resource = "configmaps", .ns = ns, .name = config.status_config_map_name});
    }
    if (config.leader_election.enabled) {
        add_named(out, {"create", "get", "update"},
                  {.group = "coordination.k8s.io",
                   .resource = "leases",
                   .ns = ns,
                   .name = config.leader_election.lease});
    }
    return out;
}

}  // namespace capstan::runtime
