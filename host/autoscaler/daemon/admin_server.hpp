/// The admin port: the answers to HTTP requests, by path.
///
///     /  /metrics  /health-check (/healthz)  /livez  /readyz  /snapshotz
///     /api/v2/status (/status)  groups  plugins  config  decisions
///     /api/v2/explain/pod/NAMESPACE/NAME  node/NAME  group/ID  matrix   (?format=text)
///                     deployment/NAMESPACE/NAME  statefulset/...  replicaset/...  job/...
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "autoscaler/daemon/debug_snapshot.hpp"
#include "config/daemon_config.hpp"
#include "io/http_server.hpp"

namespace capstan::autoscaler::daemon {

/// A question about the last pass. If all members are empty, it asks for the matrix of all pending
/// pods and all groups.
struct AdminQuestion {
    std::string pod_ns{}, pod{};
    std::string workload_kind{}, workload{};  ///< "Deployment" in `pod_ns`
    std::string node{};
    std::string group{};
    bool as_text = false;  ///< text for people; otherwise JSON
};

/// The sources of the answers. Called on the loop's thread; they must not block.
struct AdminSources {
    std::function<std::string()> metrics;
    std::function<std::string()> complaint;  ///< why the host is not healthy; empty: healthy
    std::function<std::string()> stuck;      ///< why it must be restarted; empty: it need not be
    std::function<std::string()> unready;    ///< what passes wait for; empty: nothing
    /// The instances that passes do without and the warnings of the last pass, one line each;
    /// /readyz shows them when the host is ready. NULL or empty: none.
    std::function<std::string()> absent{};
    // JSON.
    std::function<std::string()> status, groups, plugins, config, decisions;
    using Answer = std::function<void(Result<std::string> answer)>;
    /// `answer` is called once, maybe later. `busy`: too many questions wait already;
    /// `unavailable`: there has been no pass yet.
    std::function<void(AdminQuestion question, Answer answer)> explain;
    /// `answer` is called once, after a pass. `busy`: another snapshot is being gathered;
    /// `unavailable`: this host makes no passes. NULL: the path is switched off.
    std::function<void(DebugSnapshot::Answer answer)> snapshot{};
};

/// Answers a request of an authorized peer. `send` is called once, maybe later.
void answer_admin(const AdminSources& sources, std::string_view method, std::string_view target,
                  const std::function<void(HttpReply)>& send);

/// The kind of a word in a path: "deployment" -> "Deployment". Empty: questions about such
/// workloads are not answered.
std::string_view workload_kind(std::string_view word);
/// The word of a kind: "Deployment" -> "deployment".
std::string_view workload_word(std::string_view kind);

/// Whether the path is one of a probe, which needs no token.
bool is_probe(std::string_view target);

// The admin port of [admin].

/// Limits of sizes and times for requests of peers that are not authorized yet. With them a probe
/// is answered whatever the number of other connections.
io::HttpServer::Options admin_limits();

/// Opens the port. The files of [admin] are read here; a token has to be sent as
/// "Authorization: Bearer TOKEN" by every client but probes. `invalid_config`: a file cannot be
/// read, or has no token; `unavailable`: the address is taken. NULL: the configuration has no
/// address. Borrows `io`; `sources` are called on the loop's thread as long as the server lives.
/// Address, port, certificates and numbers of connections are those of `config`, not those of
/// `options`.
Result<std::unique_ptr<io::HttpServer>> serve_admin(
    const config::Admin& config, boost::asio::io_context& io, AdminSources sources,
    io::HttpServer::Options options = admin_limits());

/// Whether `authorization` has that token. The comparison takes constant time.
bool has_token(std::string_view authorization, std::string_view token);

}  // namespace capstan::autoscaler::daemon
