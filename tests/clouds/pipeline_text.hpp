/// Clouds of a scenario, and the configuration of their pipeline.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cloud_server.hpp"

namespace capstan::clouds {

/// A cloud of the pipeline.
struct Part {
    std::string plugin{};    ///< "aws"
    std::string prefix{};    ///< of the providerIDs of its nodes: "aws:///"
    std::string settings{};  ///< lines of its settings; SERVER is the proxy's URL, AUTHORITY
                             ///< its host and port
    std::shared_ptr<CloudServer> server{};
};

/// Options of a scenario with one or several clouds, in addition to the common settings.
struct ScenarioOptions {
    std::string scan_interval = "1s";
    std::string expanders = R"(["least_waste"])";
    std::string cpu = "1500m";  ///< of each pod of "web", which has one pod at the start
    std::string settings{};     ///< lines of the plugin's settings, with SERVER as in Part
    std::string scale_up{};     ///< lines of [pipeline.scale_up]
    std::string more{};         ///< more TOML tables
    std::string pods{};         ///< more lines of the pods of "web"
    std::string empty_group_time = "10m";
    std::string discovery{};  ///< of the plugin's settings, as TOML; empty: the default of
                              ///< the cloud
};

/// The lines of the settings of a cloud, with the addresses of its server.
std::string settings_of(const Part& part);

/// The tables [pipeline], [plugin.labels] and those of the clouds. The labels are compared with
/// the preset of the first cloud.
std::string pipeline_text(const std::vector<Part>& parts, const ScenarioOptions& options);

/// Turns the machines of the cloud into nodes of the cluster.
std::unique_ptr<e2e::Process> start_joiner(const Part& part,
                                           const std::filesystem::path& kubeconfig,
                                           const std::filesystem::path& log);

}  // namespace capstan::clouds
