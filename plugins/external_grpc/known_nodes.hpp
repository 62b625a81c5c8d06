/// The cluster's nodes as servers are told of them: many find a machine by its node's name or
/// labels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/kube.hpp>

#include "cloud_api.hpp"

namespace capstan::external_grpc {

/// Follows the Node objects where the instance may; where it may not, references have the id alone.
/// [strand]
class KnownNodes {
public:
    explicit KnownNodes(const Host& host) : host_(host) {}
    KnownNodes(const KnownNodes&) = delete;
    KnownNodes& operator=(const KnownNodes&) = delete;

    void start();
    void stop() { watch_.reset(); }
    NodeReference reference(const MachineId& machine) const;

private:
    void hear(const KubeEvent& event);

    Host host_;
    std::map<std::string, NodeReference, std::less<>> by_provider_id_{};
    std::optional<KubeWatch> watch_{};
    std::string trouble_{};  ///< as it was told last
};

}  // namespace capstan::external_grpc
