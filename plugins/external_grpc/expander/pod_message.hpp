/// v1.Pod in protobuf's wire format, for the pods of a pod equivalence group.
#pragma once

#include <cstdint>
#include <string>

#include <core_v1.pb.h>
#include <capstan/pod.hpp>

namespace capstan::external_grpc {

/// The pods of one equivalence group. Each has one container with the pod's effective requests,
/// since the host does not know the requests of single containers.
class PodMessages {
public:
    explicit PodMessages(const PodEquivalenceGroup& pods);
    PodMessages(const PodMessages&) = delete;
    PodMessages& operator=(const PodMessages&) = delete;

    /// The bytes of the pod with that number, from 1 on. The first pod has the name of the group's
    /// example. The names of the others are unknown, so each has the example's name with its
    /// number: "web-5d9c-x7k2p.2".
    std::string bytes(std::uint32_t number);

private:
    k8s::io::api::core::v1::Pod pod_{};
    const std::string example_;
};

}  // namespace capstan::external_grpc
