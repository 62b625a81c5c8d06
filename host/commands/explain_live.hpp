/// Questions about a live cluster: asked of its daemon, or decided here.
#pragma once

#include <ostream>
#include <string>

#include <capstan/result.hpp>

#include "runtime/daemon/admin_routes.hpp"

namespace capstan::commands {

/// Of the daemon whose admin port is at `url`: "http://capstan.kube-system:8085". `token_file`:
/// with its bearer token; empty: it wants none.
Result<std::string> ask_daemon(const std::string& url, const std::string& token_file,
                               const runtime::AdminQuestion& question);

/// Of a pass that is decided now, as the daemon of that configuration would. Warnings go to `err`.
Result<std::string> ask_cluster(const std::string& config, const runtime::AdminQuestion& question,
                                std::ostream& err);

}  // namespace capstan::commands
