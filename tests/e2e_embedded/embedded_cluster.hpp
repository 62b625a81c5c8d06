/// `capstan cluster` and daemons beside it, as stories use them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../e2e/process.hpp"
#include "../host/commands/shell.hpp"
#include "api.hpp"

namespace capstan::e2e {

/// Gone with the story.
class EmbeddedCluster {
public:
    /// `scenario`: TOML. `options`: beside --dir and -o json. Throws where it does not come up.
    explicit EmbeddedCluster(const std::string& scenario,
                             const std::vector<std::string>& options = {});

    const Api& api() const { return *api_; }
    Process& process() { return *process_; }
    std::filesystem::path config() const { return dir() / "capstan.toml"; }
    std::filesystem::path dir() const { return folder_.path() / "cluster"; }
    /// What it has told so far, and its daemon's log where --run started one.
    std::string log() const;

    /// Why kubectl cannot be asked; empty: it can.
    static std::string kubectl_missing_because();
    /// Throws where that fails.
    std::string kubectl(const std::vector<std::string>& arguments, const std::string& input = {});

private:
    commands::Folder folder_{};
    std::unique_ptr<Process> process_;
    std::optional<Api> api_{};
};

/// `capstan run` on an embedded cluster, started by a story that kills it or asks it.
class Daemon {
public:
    /// Those of equal `name` have one state, as restarts of one host have.
    Daemon(const EmbeddedCluster& cluster, std::string name);

    void kill() { process_->end(9); }
    Process& process() { return *process_; }
    std::string log() const;
    /// Its admin port, asked with that bearer token. Throws where it has told of none in 30 s.
    Api admin(const std::string& token = {}) const;

private:
    std::filesystem::path log_;
    std::unique_ptr<Process> process_;
};

/// The first `what` in the file becomes `by`.
void replace_in(const std::filesystem::path& file, const std::string& what, const std::string& by);

}  // namespace capstan::e2e
