/// Parses and checks the requests of plugins behind capstan.kube/1, and turns them into requests to
/// the API server.
#pragma once

#include <cstdint>
#include <string>

#include <capstan/abi/service_kube.h>
#include <capstan/result.hpp>

#include "config/kube_grant.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::plugin_runtime::services {

/// One request, without its deadline.
struct KubeCall {
    config::KubeAction action{};
    kubernetes::client::ApiRequest request{};
    std::uint64_t term = 0;  ///< the term in which its operation began, see KubeGateway
};

/// The objects that a watch follows.
struct KubeWatchTarget {
    std::string instance{};
    config::KubeAction action{};  ///< `list`; the watch needs its own grant
    std::string path{};
    kubernetes::client::ApiRequest::Query selectors{};
    std::string api_version{}, kind{};
    std::size_t queue_limit = 0;
};

// `invalid_argument`: the request is invalid, and the message says why. The caller has checked the
// sizes of structs.
Result<KubeCall> parse_kube_request(const capstan_kube_request& raw, const std::string& instance);
Result<KubeWatchTarget> parse_kube_watch(const capstan_kube_watch& raw,
                                         const std::string& instance);
Result<kubernetes::client::EventNote> parse_kube_note(const capstan_kube_note& raw);

/// The name in messages: "configmaps in shop (metadata.name=prio) for plugin tiers".
std::string title_of(const KubeWatchTarget& what);

/// The action that a grant needs for writing such an Event.
config::KubeAction action_of(const kubernetes::client::EventNote& note);

/// The error of an action that is not granted; it names the setting to add.
Error missing_grant(const std::string& instance, const config::KubeAction& action);

}  // namespace capstan::plugin_runtime::services
