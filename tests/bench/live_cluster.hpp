/// A large cluster behind an API server in this process, and the daemon that looks after it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/daemon/daemon.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::bench {

struct LiveSize {
    int groups = 10, nodes_per_group = 100;
    int pods_per_node = 30;
    int requests_per_second = 5000;  ///< of the daemon's; what a burst may have is twice that
};

/// A folder that goes with it.
class Scratch {
public:
    Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch();
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/// What is configured and loaded, with the simulated cloud's machines as nodes of the cluster.
class LiveSetup {
public:
    /// `more`: further sections in TOML. Throws what is wrong.
    LiveSetup(const LiveSize& size, const std::string& kubeconfig, const std::string& boot,
              const std::string& more);
    /// `clock` NULL: real time.
    std::unique_ptr<runtime::PluginHost> start(std::shared_ptr<io::ManualClock> clock) const;
    std::shared_ptr<const runtime::daemon::LoadedConfig> config() const { return config_; }

private:
    Scratch scratch_;
    runtime::plugin_files::LibraryRegistry registry_;
    std::shared_ptr<const runtime::daemon::LoadedConfig> config_;
};

}  // namespace capstan::bench
