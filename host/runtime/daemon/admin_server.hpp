/// What is answered over HTTP, by path.
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

#include "io/http_server.hpp"
#include "runtime/config/daemon_config.hpp"
#include "runtime/daemon/debug_snapshot.hpp"

namespace capstan::runtime::daemon {

/// What is asked about the last pass; where all of them are empty, the matrix of all pods that wait
/// and all groups.
struct AdminQuestion {
    std::string pod_ns{}, pod{};
    std::string workload_kind{}, workload{};  ///< "Deployment" in `pod_ns`
    std::string node{};
    std::string group{};
    bool as_text = false;  ///< for people, not for machines
};

/// Where the answers are from. Called on the loop's thread, where they must not block.
struct AdminSources {
    std::function<std::string()> metrics;
    std::function<std::string()> complaint;  ///< why the host is not healthy; empty: it is
    std::function<std::string()> stuck;      ///< why it must be restarted; empty: it need not
    std::function<std::string()> unready;    ///< what passes wait for; empty: nothing
    /// What passes do without, a line each, told by /readyz when the host is ready; NULL or empty:
    /// nothing.
    std::function<std::string()> absent{};
    // JSON.
    std::function<std::string()> status, groups, plugins, config, decisions;
    using Answer = std::function<void(Result<std::string> answer)>;
    /// Answers later, once. `busy`: too many wait already; `unavailable`: there is no pass yet.
    std::function<void(AdminQuestion question, Answer answer)> explain;
    /// Answers after a pass, once. `busy`: another one is being gathered; `unavailable`: there is
    /// no pass. NULL: switched off.
    std::function<void(DebugSnapshot::Answer answer)> snapshot{};
};

/// Answers a request that its peer may make; `send` is called once, maybe later.
void answer_admin(const AdminSources& sources, std::string_view method, std::string_view target,
                  const std::function<void(HttpReply)>& send);

/// "deployment" -> "Deployment", of workloads that can be asked about; empty: it is none of them.
std::string_view workload_kind(std::string_view word);
/// The other way around.
std::string_view workload_word(std::string_view kind);

/// Whether the path is served without a token, too: those of probes.
bool is_probe(std::string_view target);

// The admin port of [admin].

/// Sizes and times that the port grants a request before the peer has proved anything. A probe
/// gets through beside any number of other peers.
io::HttpServer::Options admin_limits();

/// Opens the port. The files of [admin] are read here; a token has to be sent as
/// "Authorization: Bearer TOKEN" by every client but probes. `invalid_config`: a file cannot be
/// read, or has no token; `unavailable`: the address is taken. Without an address there is no
/// server: NULL. Borrows `io`; `sources` are asked on the loop's thread as long as the server
/// lives. Of `options` address, port, certificates and numbers of connections are not read: they
/// are the configuration's.
Result<std::unique_ptr<io::HttpServer>> serve_admin(
    const config::Admin& config, boost::asio::io_context& io, AdminSources sources,
    io::HttpServer::Options options = admin_limits());

/// Whether `authorization` carries that token; takes as long for every wrong one.
bool has_token(std::string_view authorization, std::string_view token);

}  // namespace capstan::runtime::daemon
