/// For `capstan doctor`: checks whether everything exists that the daemon of a configuration needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/plugin_host.hpp"
#include "config/configuration.hpp"
#include "io/http_client.hpp"
#include "kubernetes/client/access_reviews.hpp"

namespace capstan::autoscaler::daemon {

enum class Verdict { good, warning, missing };

/// One check and its result.
struct Finding {
    Verdict verdict = Verdict::good;
    std::string what{};
    std::string found{};
    std::string fix{};  ///< what to do about it; empty: nothing
};

struct NeededRule {
    kubernetes::client::AccessRule rule{};
    /// A rule that suffices if `rule` is not granted. Our own manifests do not grant it.
    std::optional<kubernetes::client::AccessRule> instead{};
    std::string purpose{};  ///< follows "needed to": "elect a leader"
};

/// Every right that the daemon uses, and the rights that plugins are granted, once each. Nodes are
/// changed by patch, or by update if patch is refused, as with upstream's role, which grants update
/// alone. The rights of passes are left out if the configuration has no clouds.
std::vector<NeededRule> needed_rules(const config::Config& config);

/// Checks the API server, its version and clock, the rights of this identity, the plugins and the
/// answers of the clouds. Changes nothing. `http`: see ClusterLink.
std::vector<Finding> examine(const config::Config& config, PluginHost& host,
                             const std::string& version, io::HttpClient* http = nullptr);

}  // namespace capstan::autoscaler::daemon
