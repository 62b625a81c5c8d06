/// A real control plane, and what stories do to it and see of it.
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

/// A node as a story looks at it.
struct SeenNode {
    std::string name{}, zone{};
    bool is_ready = false;
    bool is_marked = false;  ///< it has a taint or is cordoned
};

/// One for each story, gone with it.
class Cluster {
public:
    /// Why there is none: KUBEBUILDER_ASSETS is not set, or its folder lacks a program, as those
    /// for tests of an API server alone do; nothing: there can be one.
    static std::optional<std::string> missing_because();
    /// Throws where it does not come up.
    Cluster();

    /// `kubectl ARGUMENT...` as its administrator; throws where that fails.
    std::string kubectl(const std::vector<std::string>& arguments,
                        const std::string& input = {}) const;
    /// The same beside the story; what it writes goes to `log`.
    std::unique_ptr<Process> kubectl_beside(const std::vector<std::string>& arguments,
                                            const std::filesystem::path& log) const;
    boost::json::value get_json(const std::vector<std::string>& what) const;
    /// Applies objects, as YAML.
    void apply(const std::string& yaml) const { kubectl({"apply", "-f", "-"}, yaml); }
    /// By name.
    std::vector<SeenNode> nodes() const;

    /// A kubeconfig with the rights of rbac.yaml and simulated-cloud.yaml.
    std::filesystem::path capstans_kubeconfig() const { return control_plane() / "capstan.conf"; }
    /// It is killed, and started again so much later; the call ends with that.
    void restart_api_server(Seconds downtime = Seconds(2));
    /// etcd forgets what was before now.
    void forget_history();
    /// Whether the API server says that it is ready.
    bool is_ready() const;
    /// Where the story's files may lie.
    const std::filesystem::path& folder() const { return folder_.path(); }
    /// Those of the script `control_plane`.
    std::filesystem::path control_plane() const { return folder() / "control-plane"; }

private:
    void ask_for(int signal);
    std::vector<std::string> command(const std::vector<std::string>& arguments) const;

    commands::Folder folder_;
    std::unique_ptr<Process> process_;
};

}  // namespace capstan::e2e
