/// A program that prints credentials, as a kubeconfig's user describes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/loop.hpp"
#include "io/process.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/watch_backoff.hpp"

namespace capstan::kubernetes::client {

struct ExecPlugin {
    std::string api_version{};  ///< "client.authentication.k8s.io/v1" or ".../v1beta1"
    std::string command{};      ///< absolute, or a bare name that PATH leads to
    std::vector<std::string> arguments{};
    std::vector<std::pair<std::string, std::string>> variables{};  ///< besides the host's own
    std::string install_hint{};
    bool provides_cluster_info = false;
};

/// What a plugin is told about the server it makes credentials for, if it wants to know.
struct ExecCluster {
    std::string server{};
    std::string tls_server_name{};
    bool insecure_skip_tls_verify = false;
    std::string ca_pem{};
    std::string proxy_url{};
    bool disable_compression = false;
    std::optional<boost::json::value> config{};
};

// What an exec plugin is told and what it answers: ExecCredential objects as JSON.

/// For the variable KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecPlugin& plugin, const ExecCluster& cluster);

struct ExecAnswer {
    std::string token{};                       ///< empty: none
    std::string certificate_pem{}, key_pem{};  ///< both or neither
    std::optional<Time> expires{};             ///< nothing: never
};

/// `invalid_config`: the answer is of another version; `unauthenticated`: it is none, or holds
/// neither a token nor a certificate with its key. Tells nothing of what it says.
Result<ExecAnswer> parse_exec_answer(const std::string& api_version, std::string_view output);

// Credentials that a program makes: a cloud's command line tool, a single sign-on.

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
        HttpHeaders headers{};      ///< besides what the plugin says: the identity to impersonate
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
    Result<std::unique_ptr<io::ProgramProcess>> start();
    Result<std::filesystem::path> find_program() const;
    void on_end(Result<io::ProgramEnd> end);
    Result<ExecAnswer> answer_of(Result<io::ProgramEnd> end) const;
    void keep(ExecAnswer answer);
    void fail_all(Error error);
    void tell_all(const Result<Credential>& result);

    io::Loop& loop_;
    Later later_;
    const Options options_;
    std::optional<Credential> credential_{};
    std::optional<Time> expires_{};  ///< of the credential; nothing: never
    std::vector<Done> waiting_{};    ///< for the run that is under way
    std::unique_ptr<io::ProgramProcess> process_{};
    WatchBackoff backoff_;
    std::optional<Error> failure_{};  ///< of the last run; nothing: it went well
    Duration rests_until_{};          ///< after a failure
};

}  // namespace capstan::kubernetes::client
