/// Follows the ConfigMap that has the priorities.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <capstan/host.hpp>
#include <capstan/json.hpp>
#include <capstan/kube.hpp>
#include <capstan/task.hpp>

#include "config.hpp"
#include "tiers.hpp"

namespace capstan::expanders {

/// Calls `on_tiers` with the tiers under the key `priorities`, each time these change. An invalid
/// or missing ConfigMap leads to no call, so the last good priorities stay. Each such state is
/// reported once, in the log and, where events are granted, as an event on the ConfigMap. [strand]
class FollowedConfigMap {
public:
    using OnTiers = std::function<void(Tiers)>;

    /// Sends no request yet. If the instance has no access to the Kubernetes API, throws a Failure
    /// that says which grant to write. [load]
    FollowedConfigMap(const Host& host, ConfigMapName name, OnTiers on_tiers);
    FollowedConfigMap(const FollowedConfigMap&) = delete;
    FollowedConfigMap& operator=(const FollowedConfigMap&) = delete;

    /// Begins to watch. Does not wait for the API server, which may not be connected yet. Throws a
    /// Failure when the host refuses the watch, as it does without the grant.
    Task<void> start();
    void stop() { watch_.reset(); }
    /// For `capstan doctor`: waits a few seconds for the API server's response. Throws a Failure if
    /// there is none, if the ConfigMap is missing (with the command that creates it), or if its
    /// text is invalid.
    Task<void> check();

private:
    void handle_event(const KubeEvent& event);
    void report_trouble(const Error& why);
    void take(Result<std::string> document);
    void complain(const std::string& why);
    Error refusal() const;
    std::string what_now() const;

    Host host_;
    const ConfigMapName name_;
    const std::string title_;  ///< "ConfigMap kube-system/priorities"
    const OnTiers on_tiers_;
    std::optional<KubeWatch> watch_;
    std::optional<Error> trouble_;  ///< why it cannot be followed at present
    std::string uid_;               ///< of the ConfigMap
    bool is_there_ = false;
    bool has_been_good_ = false;                ///< its text was valid at least once
    std::optional<Result<std::string>> known_;  ///< the last text, or why there was none
};

}  // namespace capstan::expanders
