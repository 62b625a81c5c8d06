/// What a plugin asks of the cluster, read and checked, as a request to the API server.
#pragma once

#include <cstdint>
#include <string>

#include <capstan/abi/service_kube.h>
#include <capstan/result.hpp>

#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/config/kube_grant.hpp"

namespace capstan::runtime::services {

/// One request, without its deadline.
struct KubeCall {
    config::KubeAction action{};
    kubernetes::client::ApiRequest request{};
    std::uint64_t max_reply_bytes = 0;
    std::uint64_t term = 0;  ///< in which it was begun, see KubeGateway
};

/// What a watch follows.
struct KubeFollowed {
    std::string instance{};
    config::KubeAction action{};  ///< list; watch is another
    std::string path{};
    kubernetes::client::ApiRequest::Query selectors{};
    std::string api_version{}, kind{};
    std::size_t queue_limit = 0;
};

// `invalid_argument`: no request; the message says what is wrong. Structs long enough have been
// seen to.
Result<KubeCall> parse_kube_request(const capstan_kube_request& raw, const std::string& instance);
Result<KubeFollowed> parse_kube_watch(const capstan_kube_watch& raw, const std::string& instance);
Result<kubernetes::client::EventNote> parse_kube_note(const capstan_kube_note& raw);

/// As people are told: "configmaps in shop (metadata.name=prio) for plugin tiers".
std::string title_of(const KubeFollowed& what);

/// What writing such an event takes.
config::KubeAction action_of(const kubernetes::client::EventNote& note);

/// Says what to add where.
Error missing_grant(const std::string& instance, const config::KubeAction& action);

}  // namespace capstan::runtime::services
