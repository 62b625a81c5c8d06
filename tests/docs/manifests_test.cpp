// The manifests of deploy/kubernetes fit this version of Capstan and grant no more than it needs.
#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "autoscaler/daemon/admin_server.hpp"
#include "commands/command_line.hpp"
#include "config/configuration.hpp"

namespace capstan::docs {
namespace {

namespace fs = std::filesystem;

std::vector<YAML::Node> manifests(const std::string& name) {
    return YAML::LoadAllFromFile("deploy/kubernetes/" + name);
}

YAML::Node manifest(const std::string& name, const std::string& kind) {
    for (const YAML::Node& object : manifests(name))
        if (object["kind"].as<std::string>() == kind) return object;
    ADD_FAILURE() << name << " has no " << kind;
    return {};
}

YAML::Node pod() { return manifest("deployment.yaml", "Deployment")["spec"]["template"]["spec"]; }
YAML::Node container() { return pod()["containers"][0]; }

TEST(ShippedManifests, AreKubernetesObjects) {
    int objects = 0;
    for (const auto& file : fs::directory_iterator("deploy/kubernetes"))
        for (const YAML::Node& object : YAML::LoadAllFromFile(file.path().string())) {
            EXPECT_TRUE(object["apiVersion"] && object["kind"] && object["metadata"]["name"])
                << file.path();
            ++objects;
        }
    EXPECT_GE(objects, 9);
}

TEST(ShippedManifests, RunAnUnprivilegedPod) {
    const YAML::Node pod_context = pod()["securityContext"];
    EXPECT_TRUE(pod_context["runAsNonRoot"].as<bool>());
    EXPECT_GT(pod_context["runAsUser"].as<int>(), 0);
    EXPECT_EQ(pod_context["seccompProfile"]["type"].as<std::string>(), "RuntimeDefault");
    const YAML::Node container_context = container()["securityContext"];
    EXPECT_TRUE(container_context["readOnlyRootFilesystem"].as<bool>());
    EXPECT_FALSE(container_context["allowPrivilegeEscalation"].as<bool>());
    EXPECT_EQ(container_context["capabilities"]["drop"][0].as<std::string>(), "ALL");
    EXPECT_EQ(pod()["terminationGracePeriodSeconds"].as<int>(), 30);
    EXPECT_EQ(pod()["serviceAccountName"].as<std::string>(),
              manifest("rbac.yaml", "ServiceAccount")["metadata"]["name"].as<std::string>());
}

/// The manifests of a cloud, and the annotation that identifies its service account.
struct CloudManifests {
    const char *file, *annotation;
};
constexpr CloudManifests manifests_of_clouds[] = {
    {"deploy/aws/eks.yaml", "eks.amazonaws.com/role-arn"},
    {"deploy/gce/gke.yaml", "iam.gke.io/gcp-service-account"}};

TEST(ShippedManifests, RunTheSamePodOnEveryCloud) {
    for (const auto& [file, annotation] : manifests_of_clouds) {
        std::map<std::string, YAML::Node> of_cloud;
        for (const YAML::Node& object : YAML::LoadAllFromFile(file))
            of_cloud[object["kind"].as<std::string>()] = object;
        for (const char* kind : {"Deployment", "PodDisruptionBudget"})
            EXPECT_EQ(YAML::Dump(of_cloud[kind]), YAML::Dump(manifest("deployment.yaml", kind)))
                << file << " " << kind;
        const YAML::Node account = manifest("rbac.yaml", "ServiceAccount")["metadata"];
        for (const char* key : {"name", "namespace"})
            EXPECT_EQ(of_cloud["ServiceAccount"]["metadata"][key].as<std::string>(),
                      account[key].as<std::string>());
        EXPECT_TRUE(of_cloud["ServiceAccount"]["metadata"]["annotations"][annotation]) << file;
    }
}

TEST(ShippedManifests, HaveAValidConfigurationForEveryCloud) {
    for (const auto& [manifests, annotation] : manifests_of_clouds) {
        const commands::Folder folder;
        for (const YAML::Node& object : YAML::LoadAllFromFile(manifests)) {
            if (object["kind"].as<std::string>() != "ConfigMap") continue;
            const fs::path file = folder.path() / "capstan.toml";
            std::ofstream(file) << object["data"]["capstan.toml"].as<std::string>();
            const commands::CommandResult ran =
                commands::capstan("config check --config " + file.string());
            EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        }
    }
}

TEST(ShippedManifests, PassValidArguments) {
    std::vector<std::string> words{"capstan"};
    for (const YAML::Node& word : container()["args"]) words.push_back(word.as<std::string>());
    // The file exists only in the pod.
    for (std::string& word : words)
        if (word == "/etc/capstan/capstan.toml") word = "examples/capstan.toml";
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    std::ostringstream err;
    EXPECT_TRUE(commands::parses(static_cast<int>(arguments.size()), arguments.data(), err,
                                 commands::capstan_program()))
        << err.str();
}

TEST(ShippedManifests, ProbeTheListeningPort) {
    const std::string listen = config::Admin().listen;
    const int port = std::stoi(listen.substr(listen.rfind(':') + 1));
    EXPECT_EQ(container()["ports"][0]["containerPort"].as<int>(), port);
    for (const char* probe : {"livenessProbe", "readinessProbe"})
        EXPECT_TRUE(
            autoscaler::daemon::is_probe(container()[probe]["httpGet"]["path"].as<std::string>()))
            << probe;
    const YAML::Node policy = manifest("network-policy.yaml", "NetworkPolicy")["spec"];
    EXPECT_EQ(policy["ingress"][0]["ports"][0]["port"].as<int>(), port);
}

TEST(ShippedManifests, SelectThePodsOfTheDeployment) {
    const std::string name =
        manifest("deployment.yaml",
                 "Deployment")["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"]
            .as<std::string>();
    const YAML::Node selectors[] = {
        manifest("deployment.yaml", "Deployment")["spec"]["selector"],
        manifest("deployment.yaml", "PodDisruptionBudget")["spec"]["selector"],
        manifest("network-policy.yaml", "NetworkPolicy")["spec"]["podSelector"]};
    for (const YAML::Node& selector : selectors)
        EXPECT_EQ(selector["matchLabels"]["app.kubernetes.io/name"].as<std::string>(), name);
}

}  // namespace
}  // namespace capstan::docs
