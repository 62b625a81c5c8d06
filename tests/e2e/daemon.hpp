/// `capstan run` beside a story.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "cluster.hpp"

namespace capstan::e2e {

/// Its log is shown where the story has failed by its end.
class Daemon {
public:
    /// `name`: of its files. `more`: TOML beside [cluster] and [admin]. `kubeconfig` empty: the
    /// cluster's own with Capstan's rights.
    Daemon(const Cluster& cluster, const std::string& name, const std::string& more,
           const std::filesystem::path& kubeconfig = {});
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    ~Daemon();

    /// Once more, after it has ended.
    void start();
    /// Other TOML; a running one takes it over by itself.
    void configure(const std::string& more) const;
    Process& process() { return *process_; }

    /// The answer of its admin port; nothing while it does not answer.
    std::optional<boost::json::value> ask(const std::string& path) const;
    /// Whether it leads, hears of every kind, and has begun a pass after that moment, which is
    /// written as its admin port writes moments.
    bool works_since(const std::string& after) const;
    /// Machines that all groups want together; -1 before its first pass.
    std::int64_t target() const;
    /// What its log says so far.
    std::string log() const;
    const std::filesystem::path& config() const { return config_; }

private:
    const std::filesystem::path kubeconfig_, config_, state_, log_;
    const int port_;
    std::unique_ptr<Process> process_;
};

}  // namespace capstan::e2e
