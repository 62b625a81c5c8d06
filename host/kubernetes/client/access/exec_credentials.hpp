/// Credentials that a program makes: a cloud's command line tool, a single sign-on.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/credentials_environment.hpp"
#include "kubernetes/client/access/credentials_later.hpp"
#include "kubernetes/client/access/exec_credentials_json.hpp"
#include "kubernetes/client/access/exec_credentials_plugin.hpp"
#include "kubernetes/client/access/exec_credentials_process.hpp"
#include "kubernetes/client/watch/watch_backoff.hpp"

namespace capstan::kubernetes {

inline constexpr std::size_t exec_output_max = std::size_t{1} << 20;

/// Runs the plugin at the first request and keeps its answer until that expires or the server
/// rejects it; requests meanwhile wait for one and the same run. An answer without an end counts
/// for ever. After a failure the plugin rests, longer after each, as WatchBackoff says; requests
/// meanwhile fail at once with what it failed with, when it runs again, and that as retry_after.
///
/// Errors say what the plugin wrote last to standard error, never what it printed.
/// `invalid_config`: there is no such program (and the kubeconfig's hint how to get it), or it
/// speaks another version. `unavailable`: it failed. `deadline`, `quota`: it took too long, or
/// printed too much, and was killed. `unauthenticated`: its answer is of no use.
class ExecCredentials final : public Credentials {
public:
    struct Options {
        ExecPlugin plugin{};
        ExecCluster cluster{};
        HttpHeaders headers{};      ///< besides what the plugin says: who to impersonate
        Environment environment{};  ///< the plugin gets it, and its own variables
        Duration deadline = std::chrono::seconds(60);
        std::uint64_t seed = 0;  ///< of jitter
    };
    /// Borrows the loop.
    ExecCredentials(io::Loop& loop, Options options);
    /// Kills a plugin that runs.
    ~ExecCredentials() override = default;

    void get(Done done) override;
    void rejected(const Credential& credential) override;

private:
    bool is_fresh() const;
    bool is_resting() const;
    Error resting_error() const;
    void run();
    Result<std::unique_ptr<ProgramProcess>> start();
    Result<std::filesystem::path> find_program() const;
    void on_end(Result<ProgramEnd> end);
    Result<ExecAnswer> answer_of(Result<ProgramEnd> end) const;
    void keep(ExecAnswer answer);
    void fail_all(Error error);
    void tell_all(const Result<Credential>& result);

    io::Loop& loop_;
    Later later_;
    const Options options_;
    std::optional<Credential> credential_{};
    std::optional<Time> expires_{};  ///< of the credential; nothing: never
    std::vector<Done> waiting_{};    ///< for the run that is under way
    std::unique_ptr<ProgramProcess> process_{};
    WatchBackoff backoff_;
    std::optional<Error> failure_{};  ///< of the last run; nothing: it went well
    Duration rests_until_{};          ///< after a failure
};

}  // namespace capstan::kubernetes
