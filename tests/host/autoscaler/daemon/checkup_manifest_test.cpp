// deploy/kubernetes/rbac.yaml grants exactly the rights that Capstan uses in its default
// configuration.
#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <string>
#include <vector>

#include "autoscaler/daemon/checkup.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::AccessRule;
using Rights = std::set<std::string>;

constexpr const char* manifest = "deploy/kubernetes/rbac.yaml";

std::vector<std::string> texts_of(const YAML::Node& list) {
    std::vector<std::string> out;
    for (const YAML::Node& text : list) out.push_back(text.as<std::string>());
    return out;
}

/// "pods/eviction" is a resource with a subresource.
AccessRule rule_about(const std::string& resource) {
    const std::size_t slash = resource.find('/');
    if (slash == std::string::npos) return {.resource = resource};
    return {.resource = resource.substr(0, slash), .subresource = resource.substr(slash + 1)};
}

/// The rights granted by one rule of a role; `ns` is empty for a ClusterRole.
void add_granted(Rights& out, const YAML::Node& rule, const std::string& ns) {
    std::vector<std::string> names = texts_of(rule["resourceNames"]);
    if (names.empty()) names.emplace_back();
    for (const std::string& group : texts_of(rule["apiGroups"]))
        for (const std::string& resource : texts_of(rule["resources"]))
            for (const std::string& verb : texts_of(rule["verbs"]))
                for (const std::string& name : names) {
                    AccessRule granted = rule_about(resource);
                    granted.verb = verb;
                    granted.group = group;
                    granted.ns = ns;
                    granted.name = name;
                    out.insert(to_string(granted));
                }
}

Rights granted() {
    Rights out;
    for (const YAML::Node& object : YAML::LoadAllFromFile(manifest)) {
        const YAML::Node ns = object["metadata"]["namespace"];
        for (const YAML::Node& rule : object["rules"])
            add_granted(out, rule, ns ? ns.as<std::string>() : "");
    }
    return out;
}

Rights needed() {
    config::Config config;
    config.pipeline.clouds = {PluginInstanceId("cloud")};
    Rights out;
    for (const NeededRule& needed : needed_rules(config)) out.insert(to_string(needed.rule));
    return out;
}

Rights without(Rights from, const Rights& those) {
    for (const std::string& right : those) from.erase(right);
    return from;
}

TEST(RbacManifest, GrantsEveryNeededRight) {
    EXPECT_THAT(without(needed(), granted()), ::testing::IsEmpty());
}

TEST(RbacManifest, GrantsNoOtherRight) {
    EXPECT_THAT(without(granted(), needed()), ::testing::IsEmpty());
}

TEST(RbacManifest, DoesNotAllowDeletingTheMemory) {
    EXPECT_TRUE(granted().contains("update configmaps capstan-memory in kube-system"));
    EXPECT_FALSE(granted().contains("delete configmaps capstan-memory in kube-system"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
