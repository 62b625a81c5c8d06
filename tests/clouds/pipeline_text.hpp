/// Clouds of a story, and the configuration that makes a pipeline of them.
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
    std::string prefix{};    ///< what its nodes' providerIDs begin with: "aws:///"
    std::string settings{};  ///< lines of its table; SERVER is the proxy's URL, AUTHORITY its
                             ///< host and port
    std::shared_ptr<CloudServer> server{};
};

/// Of one cloud or several; what a story says beside what all of them say.
struct StoryOptions {
    std::string scan_interval = "1s";
    std::string expanders = R"(["least_waste"])";
    std::string cpu = "1500m";  ///< of each pod of "web", of which there is one to begin with
    std::string settings{};     ///< lines of the plugin's settings, with SERVER as in Part
    std::string scale_up{};     ///< lines of [pipeline.scale_up]
    std::string more{};         ///< TOML tables beside all others
    std::string pods{};         ///< more lines of the pods of "web"
    std::string empty_group_time = "10m";
    std::string discovery{};  ///< of the plugin's settings, as TOML; empty: what the cloud's
                              ///< stories have
};

/// The lines of its table, with its addresses.
std::string settings_of(const Part& part);

/// The tables [pipeline], [plugin.labels] and those of the clouds. The labels are compared as the
/// first cloud's preset says.
std::string pipeline_text(const std::vector<Part>& parts, const StoryOptions& options);

/// What turns the cloud's machines into nodes of that cluster.
std::unique_ptr<e2e::Process> start_joiner(const Part& part,
                                           const std::filesystem::path& kubeconfig,
                                           const std::filesystem::path& log);

}  // namespace capstan::clouds
