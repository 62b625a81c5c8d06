/// The process `capstan run` of a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "cluster.hpp"

namespace capstan::e2e {

/// A process `capstan run`. Its log is printed if the test has failed.
class Daemon {
public:
    /// `name`: of its files. `more`: TOML in addition to [cluster] and [admin]. `kubeconfig` empty:
    /// the kubeconfig of the cluster with Capstan's permissions.
    Daemon(const Cluster& cluster, const std::string& name, const std::string& more,
           const std::filesystem::path& kubeconfig = {});
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    ~Daemon();

    /// Starts the process again after it has ended.
    void start();
    /// Replaces `more` in its configuration; a running daemon reloads the file.
    void configure(const std::string& more) const;
    Process& process() { return *process_; }

    /// The JSON of a GET on its admin port; absent without a response, or if its status is an
    /// error.
    std::optional<boost::json::value> get(const std::string& path) const;
    /// Whether it leads, watches every kind without an error, and has completed a pass since
    /// `unix_ms`, or found that there was nothing to do.
    bool works_since(std::int64_t unix_ms) const;
    /// The sum of the target sizes of all groups; -1 if its admin port does not list groups.
    std::int64_t target() const;
    /// Its log so far.
    std::string log() const;
    const std::filesystem::path& config() const { return config_; }

private:
    std::optional<std::string> get_text(const std::string& path) const;
    std::int64_t last_successful_pass() const;

    const std::filesystem::path kubeconfig_, config_, state_, log_;
    const int port_;
    std::unique_ptr<Process> process_;
};

}  // namespace capstan::e2e
