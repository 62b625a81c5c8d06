/// The nodes of the cluster. Requests name them to the server, since many servers find a machine by
/// its node's name or labels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/kube.hpp>

#include "cloud_api.hpp"

namespace capstan::external_grpc {

/// Watches the Node objects if the plugin has the grant. Without the grant, references have only
/// the provider id. [strand]
class KnownNodes {
public:
    explicit KnownNodes(const Host& host) : host_(host) {}
    KnownNodes(const KnownNodes&) = delete;
    KnownNodes& operator=(const KnownNodes&) = delete;

    void start();
    void stop() { watch_.reset(); }
    NodeReference reference(const MachineId& machine) const;

private:
    void handle_event(const KubeEvent& event);

    Host host_;
    std::map<std::string, NodeReference, std::less<>> by_provider_id_{};
    std::optional<KubeWatch> watch_{};
    std::string last_error_{};  ///< of the watch, as logged last; empty: none
};

}  // namespace capstan::external_grpc
