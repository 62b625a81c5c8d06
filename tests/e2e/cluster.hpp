/// A real control plane and the objects in it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "../host/commands/shell.hpp"
#include "process.hpp"

namespace capstan::e2e {

/// A node as tests see it.
struct NodeView {
    std::string name{}, zone{};
    bool is_ready = false;
    bool is_tainted = false;  ///< has a taint or is cordoned
};

/// A control plane in processes of its own, which end when it is destroyed.
class Cluster {
public:
    /// Why tests must be skipped: KUBEBUILDER_ASSETS is not set, or its folder lacks a program.
    /// Absent: tests can run, or the folder does not exist and they fail.
    static std::optional<std::string> missing_because();
    /// Throws if it does not start.
    Cluster();

    /// Runs `kubectl ARGUMENT...` as administrator. Throws if it fails.
    std::string kubectl(const std::vector<std::string>& arguments,
                        const std::string& input = {}) const;
    /// Starts a process of kubectl, which writes to `log`.
    std::unique_ptr<Process> start_kubectl(const std::vector<std::string>& arguments,
                                           const std::filesystem::path& log) const;
    boost::json::value get_json(const std::vector<std::string>& what) const;
    /// Applies objects in YAML.
    void apply(const std::string& yaml) const { kubectl({"apply", "-f", "-"}, yaml); }
    /// Sorted by name.
    std::vector<NodeView> nodes() const;

    /// A kubeconfig with the permissions of rbac.yaml and simulated-cloud.yaml.
    std::filesystem::path capstans_kubeconfig() const { return control_plane() / "capstan.conf"; }
    /// Kills the API server and starts it again after `downtime`. Returns when it is started, not
    /// when it is ready.
    void restart_api_server(Seconds downtime = Seconds(2));
    /// Makes etcd compact its history.
    void forget_history();
    /// Whether the API server reports that it is ready.
    bool is_ready() const;
    /// What the script `control_plane` has written.
    std::string log() const { return folder_.read("control-plane.log"); }
    /// A folder for files of the test.
    const std::filesystem::path& folder() const { return folder_.path(); }
    /// The folder of the script `control_plane`.
    std::filesystem::path control_plane() const { return folder() / "control-plane"; }

private:
    void send_signal(int signal);
    std::vector<std::string> command(const std::vector<std::string>& arguments) const;

    commands::Folder folder_;
    std::unique_ptr<Process> process_;
};

}  // namespace capstan::e2e
