/// Maintains the ConfigMap default/new-controller with the number of nodes in the cluster.
#pragma once

#include <optional>
#include <set>
#include <string>

#include <capstan/controller.hpp>
#include <capstan/kube.hpp>
#include <capstan/settings.hpp>

class NewController {
public:
    NewController(capstan::Host host, const capstan::Settings&) : host_(host) {}

    /// Watches the nodes, even while this host is not leader.
    void start();
    void stop() { nodes_.reset(); }
    /// Writes the ConfigMap; called only while this host is leader.
    capstan::Task<capstan::Reconciled> reconcile(capstan::Reconcile what);

private:
    void handle_event(const capstan::KubeEvent& event);

    capstan::Host host_;
    std::optional<capstan::KubeWatch> nodes_;
    std::set<std::string> names_;
    bool has_seen_all_ = false;
    std::optional<std::size_t> written_;
};
