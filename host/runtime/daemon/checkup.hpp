/// Whether everything is there that the daemon of a configuration needs, for `capstan doctor`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/http_client.hpp"
#include "kubernetes/client/access_reviews.hpp"
#include "runtime/config/configuration.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

enum class Verdict { good, warning, missing };

/// One thing that was looked at.
struct Finding {
    Verdict verdict = Verdict::good;
    std::string what{};
    std::string found{};
    std::string fix{};  ///< what to do about it; empty: nothing
};

struct NeededRule {
    kubernetes::client::AccessRule rule{};
    /// Does where the rule is not granted; not granted by our own manifests.
    std::optional<kubernetes::client::AccessRule> instead{};
    std::string purpose{};  ///< after "needed to": "drain nodes that go"
};

/// Every right that the daemon uses, and those that plugins were granted to use, once each. Nodes
/// are changed by patch, or by update where that is refused, as with upstream's role, which grants
/// update alone. Without clouds nothing is decided: what passes need is left out.
std::vector<NeededRule> needed_rules(const config::Config& config);

/// The server, its version and its clock, our rights on it, the plugins and what the clouds show.
/// Changes nothing. `http`: see ClusterLink.
std::vector<Finding> examine(const config::Config& config, PluginHost& host,
                             const std::string& version, io::HttpClient* http = nullptr);

}  // namespace capstan::runtime::daemon
