/// The processes `capstan cluster` and `capstan run` for tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../e2e/process.hpp"
#include "../host/commands/shell.hpp"
#include "api.hpp"

namespace capstan::e2e {

/// A process `capstan cluster` in a folder of its own, which ends when this is destroyed.
class EmbeddedCluster {
public:
    /// `scenario`: TOML. `options`: of the command, in addition to --dir and -o json. Throws if the
    /// cluster does not start.
    explicit EmbeddedCluster(const std::string& scenario,
                             const std::vector<std::string>& options = {});

    const Api& api() const { return *api_; }
    Process& process() { return *process_; }
    std::filesystem::path config() const { return dir() / "capstan.toml"; }
    std::filesystem::path dir() const { return folder_.path() / "cluster"; }
    /// The output so far, and the log of the daemon that --run started.
    std::string log() const;

    /// Why kubectl cannot be run; empty: it can.
    static std::string kubectl_missing_because();
    /// The output of kubectl. Throws if kubectl fails.
    std::string kubectl(const std::vector<std::string>& arguments, const std::string& input = {});

private:
    commands::Folder folder_{};
    std::unique_ptr<Process> process_;
    std::optional<Api> api_{};
};

/// A process `capstan run` on an embedded cluster.
class Daemon {
public:
    /// `name`: of its log and its configuration. All daemons of a cluster share a state directory.
    Daemon(const EmbeddedCluster& cluster, std::string name);

    void kill() { process_->end(9); }
    Process& process() { return *process_; }
    std::string log() const;
    /// Its admin port, used with this bearer token. Throws if the log has no admin port within
    /// 30 s.
    Api admin(const std::string& token = {}) const;

private:
    std::filesystem::path log_;
    std::unique_ptr<Process> process_;
};

/// Replaces the first `what` in the file by `by`.
void replace_in(const std::filesystem::path& file, const std::string& what, const std::string& by);

}  // namespace capstan::e2e
