/// A real control plane, and what stories do to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "process.hpp"

namespace capstan::e2e {

/// One control plane for all stories of a program; gone when the program ends.
class Cluster {
public:
    /// Why there is none: KUBEBUILDER_ASSETS is not set; nothing: there is one.
    static std::optional<std::string> missing_because();
    /// Started at the first call. Throws where it does not come up.
    static Cluster& get();

    /// `kubectl ARGUMENT...` as its administrator; throws where that fails.
    std::string kubectl(const std::vector<std::string>& arguments, const std::string& input = {});
    boost::json::value get_json(const std::vector<std::string>& what);
    /// Applies objects, as YAML.
    void apply(const std::string& yaml) { kubectl({"apply", "-f", "-"}, yaml); }
    /// Removes what a story left.
    void clear();

    /// A kubeconfig with the rights of deploy/kubernetes/rbac.yaml.
    std::filesystem::path capstans_kubeconfig() const { return folder_ / "capstan.conf"; }
    void restart_api_server() { process_->signal(10); }
    void forget_history() { process_->signal(12); }

private:
    Cluster();

    std::filesystem::path folder_;
    std::unique_ptr<Process> process_;
};

/// `capstan run` with a configuration of the story's, on the cluster.
class Daemon {
public:
    /// `more`: TOML beside [cluster] and [admin]. `name`: of its files.
    Daemon(const std::string& name, const std::string& more);

    Process& process() { return *process_; }
    /// What its log says so far.
    std::string log() const;
    /// The answer of its admin port; nothing while it does not answer.
    std::optional<boost::json::value> ask(const std::string& path) const;
    const std::filesystem::path& config() const { return config_; }

private:
    std::filesystem::path config_, log_;
    int port_ = 0;
    std::unique_ptr<Process> process_;
};

}  // namespace capstan::e2e
