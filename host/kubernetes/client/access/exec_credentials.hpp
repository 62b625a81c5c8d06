/// Credentials of an exec plugin: a program that a kubeconfig names and that prints credentials.
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
    std::string command{};      ///< an absolute path, or a name to find in PATH
    std::vector<std::string> arguments{};
    std::vector<std::pair<std::string, std::string>> variables{};  ///< besides the host's own
    std::string install_hint{};
    bool provides_cluster_info = false;
};

/// The server that the credentials are for; passed to a plugin with provideClusterInfo.
struct ExecCluster {
    std::string server{};
    std::string tls_server_name{};
    bool insecure_skip_tls_verify = false;
    std::string ca_pem{};
    std::string proxy_url{};
    bool disable_compression = false;
    std::optional<boost::json::value> config{};
};

/// The value of the variable KUBERNETES_EXEC_INFO: an ExecCredential object as JSON.
std::string exec_info(const ExecPlugin& plugin, const ExecCluster& cluster);

struct ExecAnswer {
    std::string token{};                       ///< empty: none
    std::string certificate_pem{}, key_pem{};  ///< both or neither
    std::optional<Time> expires{};             ///< absent: never
};

/// Parses the ExecCredential that a plugin printed. `invalid_config`: the answer is of another
/// version. `unauthenticated`: the output is not an ExecCredential, or has neither a token nor a
/// certificate with its key. Errors quote nothing of the output.
Result<ExecAnswer> parse_exec_answer(const std::string& api_version, std::string_view output);

inline constexpr std::size_t exec_output_max = std::size_t{1} << 20;

/// Runs the plugin at the first request, and keeps its answer until it expires or the server
/// rejects it. Requests during a run wait for this run. An answer without an expiration never
/// expires. After a failure the plugin is backed off (see WatchBackoff): requests fail at once with
/// the error of the last run; its message and retry_after say when the plugin runs again.
///
/// Errors have the plugin's last words on standard error, never its output. `invalid_config`: the
/// program does not exist (with the kubeconfig's install hint), or answers in another version.
/// `unavailable`: it failed. `deadline`, `quota`: it ran too long, or printed too much, and was
/// killed. `unauthenticated`: its answer cannot be used.
class ExecCredentials final : public Credentials {
public:
    struct Options {
        ExecPlugin plugin{};
        ExecCluster cluster{};
        HttpHeaders headers{};      ///< added to each credential: the identity to impersonate
        Environment environment{};  ///< of the plugin, besides its own variables
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
    /// NULL: there is no credential, or it has expired.
    const Credential* find_fresh() const;
    /// Absent: the plugin may run.
    std::optional<Error> find_backoff_error() const;
    void run();
    Result<std::unique_ptr<io::ProgramProcess>> start();
    Result<std::filesystem::path> find_program() const;
    void on_end(Result<io::ProgramEnd> end);
    Result<ExecAnswer> answer_of(Result<io::ProgramEnd> end) const;
    const Credential& keep(ExecAnswer answer);
    void fail_all(Error error);
    void complete_all(const Result<Credential>& result);

    io::Loop& loop_;
    Later later_;
    const Options options_;
    std::optional<Credential> credential_{};
    std::optional<Time> expires_{};  ///< of the credential; absent: never
    std::vector<Done> waiting_{};    ///< for the run that is under way
    std::unique_ptr<io::ProgramProcess> process_{};
    WatchBackoff backoff_;
    std::optional<Error> failure_{};  ///< of the last run; absent: it went well
    Duration backed_off_until_{};     ///< after a failure
};

}  // namespace capstan::kubernetes::client
