/// v1.Pod on the wire, as far as a pod equivalence group says what its pods are like.
#pragma once

#include <cstdint>
#include <string>

#include <core_v1.pb.h>
#include <capstan/pod.hpp>

namespace capstan::external_grpc {

/// The pods of one equivalence group. All ask for the same, in one container: the host knows a
/// pod's effective requests, and not what its containers ask for.
class PodMessages {
public:
    explicit PodMessages(const PodEquivalenceGroup& pods);
    PodMessages(const PodMessages&) = delete;
    PodMessages& operator=(const PodMessages&) = delete;

    /// The bytes of the first pod, the second and so on. The first has the name of the group's
    /// example. The names of the others are not known: theirs is the example's with their number,
    /// "web-5d9c-x7k2p.2", so that all differ.
    std::string bytes(std::uint32_t number);

private:
    k8s::io::api::core::v1::Pod pod_{};
    const std::string example_;
};

}  // namespace capstan::external_grpc
