/// Follows the ConfigMap that priorities are taken from.
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

/// Hands over what stands under the key `priorities`, each time that changes. What cannot be read
/// and what is not there hands over nothing, so the last good priorities stay; it is told once, in
/// the log and, where events are granted, on the ConfigMap. [strand]
class FollowedConfigMap {
public:
    using OnTiers = std::function<void(Tiers)>;

    /// Throws a Failure that says what to write where nothing of the cluster is granted. Asks for
    /// nothing yet. [load]
    FollowedConfigMap(const Host& host, ConfigMapName name, OnTiers on_tiers);
    FollowedConfigMap(const FollowedConfigMap&) = delete;
    FollowedConfigMap& operator=(const FollowedConfigMap&) = delete;

    /// Throws a Failure where the host refuses, as without the grant. Does not wait for the
    /// cluster, which may not be connected yet.
    Task<void> start();
    void stop() { watch_.reset(); }
    /// For a doctor: waits a few seconds for the cluster's answer. Throws a Failure where there is
    /// none, where the ConfigMap is not there, with the command that makes it, or where it cannot
    /// be read.
    Task<void> check();

private:
    void hear(const KubeEvent& event);
    void hear_trouble(const Error& why);
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
    std::string uid_;               ///< as it was last seen
    bool is_there_ = false;
    bool has_been_good_ = false;
    std::optional<Result<std::string>> known_;  ///< what was taken last, or why it could not be
};

}  // namespace capstan::expanders
