/// What `capstan explain` is asked about, as it is typed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/daemon/admin_server.hpp"
#include "simulation/explainer.hpp"

namespace capstan::commands {

/// "pod", "group", "node", "matrix", "deployment", ...: what `explain` takes, as its help lists it.
std::vector<std::string> explained_kinds();

/// From `KIND NAME`, `KIND/NAME` or `KIND` alone, by kubectl's short and plural words as well
/// (`po`, `deployments`). A pod or workload is NS/NAME, or NAME in `ns`; both together have to
/// agree. `ns` empty: none was given, which means "default". The error says what is wrong.
///     pod/web-1, "", "shop"  ->  the pod shop/web-1
Result<simulation::Question> parse_question(const std::string& kind, const std::string& name,
                                            const std::string& ns);

// Questions about a live cluster: asked of its daemon, or decided here.

/// The admin port of a daemon.
struct DaemonAddress {
    std::string url{};         ///< "http://capstan.kube-system:8085"
    std::string token_file{};  ///< with its bearer token; empty: it wants none
    std::string ca_file{};     ///< authorities to trust there, as PEM; empty: the system's
};
Result<std::string> ask_daemon(const DaemonAddress& daemon,
                               const runtime::daemon::AdminQuestion& question);

/// Of a pass that is decided now, as the daemon of that configuration would. Warnings go to `err`.
Result<std::string> ask_cluster(const std::string& config,
                                const runtime::daemon::AdminQuestion& question, std::ostream& err);

}  // namespace capstan::commands
