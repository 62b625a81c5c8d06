/// A large cluster behind an API server in this process, and the daemon that looks after it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "runtime/daemon/daemon.hpp"
#include "runtime/plugin_host.hpp"
#include "simulation/api_server/api_server.hpp"

namespace capstan::bench {

struct LiveSize {
    int groups = 10, nodes_per_group = 100;
    int pods_per_node = 30;
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
    std::shared_ptr<const runtime::LoadedConfig> config() const { return config_; }

private:
    Scratch scratch_;
    runtime::LibraryRegistry registry_;
    std::shared_ptr<const runtime::LoadedConfig> config_;
};

/// Kubelets and the scheduler, as far as they are needed: nodes of the cloud's first machines are
/// full of running pods, those of later ones are ready and get pods that wait. [the loop's thread]
class Crowd {
public:
    /// Borrows the store.
    Crowd(simulation::ObjectStore& store, const LiveSize& size);
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    /// Whether all first nodes are full.
    bool is_complete() const noexcept { return full_nodes_ == first_nodes_; }
    /// The `number`th running pod makes place for another.
    void replace(std::uint64_t number);
    /// A pod for which no node has room, half as large as a node.
    void add_waiting(const std::string& name);
    void remove(const std::string& name);
    std::size_t running() const noexcept { return running_.size(); }
    std::size_t later_nodes() const noexcept { return later_nodes_; }

private:
    struct Running {
        int node = 0, generation = 0;
    };
    void see(const simulation::Change& change);
    void fill(const std::string& node);
    void run_waiting(const std::string& node);
    void create(const std::string& name, const std::string& node, const std::string& cpu);

    simulation::ObjectStore& store_;
    const simulation::ResourceKind &nodes_, &pods_;
    const int pods_per_node_, first_nodes_;
    std::vector<std::string> node_names_;
    std::vector<Running> running_;
    std::vector<std::string> waiting_;
    int full_nodes_ = 0;
    std::size_t later_nodes_ = 0;
    std::unique_ptr<simulation::Subscription> seen_;
};

}  // namespace capstan::bench
