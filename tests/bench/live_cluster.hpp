/// The configuration and plugins of a daemon that scales a large cluster behind an API server
/// in this process.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "autoscaler/daemon/daemon.hpp"
#include "autoscaler/plugin_host.hpp"

namespace capstan::bench {

struct LiveSize {
    int groups = 10, nodes_per_group = 100;
    int pods_per_node = 30;
    int requests_per_second = 5000;  ///< limit of the daemon's API client; twice that in a burst
};

/// A temporary folder that is removed with the object.
class BenchFolder {
public:
    BenchFolder();
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;
    ~BenchFolder();
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/// A configuration with its plugins loaded. The simulated cloud registers its machines as nodes.
class LiveSetup {
public:
    /// `boot`: the boot time of machines. `more`: further sections in TOML. Throws
    /// std::runtime_error with the errors of the configuration.
    LiveSetup(const LiveSize& size, const std::string& kubeconfig, const std::string& boot,
              const std::string& more);
    /// `clock` NULL: real time.
    std::unique_ptr<autoscaler::PluginHost> start(std::shared_ptr<io::ManualClock> clock) const;
    std::shared_ptr<const autoscaler::daemon::LoadedConfig> config() const { return config_; }

private:
    BenchFolder folder_;
    plugin_runtime::plugin_files::LibraryRegistry registry_;
    std::shared_ptr<const autoscaler::daemon::LoadedConfig> config_;
};

}  // namespace capstan::bench
