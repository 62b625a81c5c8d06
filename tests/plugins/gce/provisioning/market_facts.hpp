/// A project for node auto-provisioning, for tests.
#pragma once

#include <string>

#include "provisioning/market.hpp"

namespace capstan::gce {

inline GceMachineType type_of(std::string name, std::int64_t vcpus, std::int64_t memory_mib,
                              std::string arch = "amd64") {
    return {
        .name = std::move(name), .vcpus = vcpus, .memory_mib = memory_mib, .arch = std::move(arch)};
}

/// An instance template of GKE, and the machine types of two zones.
inline MarketFacts usual_facts() {
    MarketFacts out;
    out.source.link = {"shop", {}, "instanceTemplates", "nodes"};
    out.source.id = "5";
    out.source.machine_type = "n2-standard-2";
    out.source.disks = {{.is_boot = true,
                         .type = "PERSISTENT",
                         .disk_type = "pd-balanced",
                         .image = "projects/i/global/images/cos-1",
                         .size_gb = 100}};
    out.source.labels = {{"goog-gke-node", ""}};
    out.source.metadata = {{"kube-env", "AUTOSCALER_ENV_VARS: os=linux;node_labels=pool=nodes\n"}};
    out.source.properties = *parse_json(
        R"({"machineType":"n2-standard-2","labels":{"goog-gke-node":""},
            "metadata":{"items":[{"key":"kube-env","value":"AUTOSCALER_ENV_VARS: os=linux;node_labels=pool=nodes\n"},
                                 {"key":"cluster-name","value":"prod"}]},
            "disks":[{"boot":true,"initializeParams":{"sourceImage":"projects/i/global/images/cos-1","diskSizeGb":"100"}}],
            "scheduling":{"automaticRestart":true,"onHostMaintenance":"MIGRATE"}})");
    out.image = GceImage{
        .link = {"i", {}, "images", "cos-1"}, .family = "cos", .arch = "amd64", .size_gb = 10};
    const std::vector<GceMachineType> types{type_of("n2-standard-2", 2, 8192),
                                            type_of("n2-standard-4", 4, 16384),
                                            type_of("t2a-standard-4", 4, 16384, "arm64")};
    out.types_by_zone = {{"us-central1-a", types}, {"us-central1-b", {types[0]}}};
    return out;
}

inline MakingConfig usual_config() {
    return {.project = "shop",
            .cluster = "prod",
            .instance_template = "nodes",
            .zones = {"us-central1-a", "us-central1-b"}};
}

inline GroupPlan usual_plan() {
    return {.name = "nodeautoprovisioning-gce-n2-standard-4-us-central1-a-1a2b3c4d",
            .machine_type = "n2-standard-4",
            .zone = "us-central1-a",
            .labels = {{"team", "ml"}},
            .taints = {{.key = "dedicated", .value = "ml", .effect = Effect::no_schedule}}};
}

}  // namespace capstan::gce
