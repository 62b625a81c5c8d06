/// Sources of templates, for tests.
#pragma once

#include <string>
#include <utility>

#include "templates/group_template.hpp"
#include "templates/kube_env.hpp"

namespace capstan::gce {

inline constexpr std::int64_t mib = std::int64_t{1} << 20, gib = std::int64_t{1} << 30;

/// kube-env in the form of GKE, with these autoscaler variables.
inline std::string kube_env_with(const std::string& variables) {
    return "AUTOSCALER_ENV_VARS: \"" + variables + "\"\nKUBE_PROXY_TOKEN: x\n";
}

/// A zonal group of n2-standard-4 with a boot disk of 100 GB.
inline TemplateSources usual_sources(const std::string& kube_env = {}) {
    TemplateSources out;
    out.group.link = {"shop", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", "web"};
    out.group.zones = {"us-central1-a"};
    out.instance_template.link = {"shop", {}, "instanceTemplates", "web-1"};
    out.instance_template.id = "77";
    out.instance_template.machine_type = "n2-standard-4";
    out.instance_template.disks = {{.is_boot = true,
                                    .type = "PERSISTENT",
                                    .disk_type = "pd-balanced",
                                    .image = "projects/cos-cloud/global/images/family/cos-stable",
                                    .size_gb = 100}};
    if (!kube_env.empty()) out.instance_template.metadata["kube-env"] = kube_env;
    out.machine_type = GceMachineType{
        .name = "n2-standard-4", .vcpus = 4, .memory_mib = 16 * 1024, .arch = "amd64"};
    return out;
}

inline KubeEnv env_of(const std::string& variables) {
    return *KubeEnv::parse(kube_env_with(variables));
}

}  // namespace capstan::gce
