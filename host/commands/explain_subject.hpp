/// The question of `capstan explain`: parsed from the command line, and put to a live cluster.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/questions/question.hpp"
#include "commands/live_command.hpp"

namespace capstan::commands {

/// The kinds that `explain` takes, in the order of its help: "pod", "group", "node", "matrix",
/// "deployment", ...
std::vector<std::string> explained_kinds();

/// Parses `KIND NAME`, `KIND/NAME` or `KIND` alone; takes kubectl's short and plural words as well
/// (`po`, `deployments`). A pod or workload is NS/NAME, or NAME in `ns`; if both give a namespace,
/// they have to agree. An empty `ns` means that none was given; the namespace is "default" then.
/// The error says what is wrong.
///     pod/web-1, "", "shop"  ->  the pod shop/web-1
Result<autoscaler::questions::Question> parse_question(const std::string& kind,
                                                       const std::string& name,
                                                       const std::string& ns);

// Questions about a live cluster: asked of its daemon, or decided here.

/// The admin port of a daemon.
struct DaemonAddress {
    std::string url{};         ///< "http://capstan.kube-system:8085"
    std::string token_file{};  ///< a file with the bearer token; empty: no token
    std::string ca_file{};     ///< PEM file of trusted authorities; empty: the system's
};
Result<std::string> ask_daemon(const DaemonAddress& daemon,
                               const autoscaler::daemon::AdminQuestion& question);

/// Decides one pass now, as the daemon of that choice would, and answers the question about
/// it. Warnings go to `err`.
Result<std::string> ask_cluster(const LiveChoice& choice,
                                const autoscaler::daemon::AdminQuestion& question,
                                std::ostream& err);

}  // namespace capstan::commands
