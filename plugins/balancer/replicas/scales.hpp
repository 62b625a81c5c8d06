/// Reads and writes the Scales of targets, through the host's service for the Kubernetes API.
#pragma once

#include <string>

#include <capstan/host.hpp>
#include <capstan/kube.hpp>
#include <capstan/task.hpp>

#include "decide.hpp"

namespace capstan::replicas {

/// [strand]
class Scales {
public:
    explicit Scales(Host host) : host_(host) {}

    /// Throws a Failure with `not_found` when the object or its kind does not exist.
    Task<Scale> read(std::string ns, ScaleRef ref);
    /// Sets spec.replicas, and returns the Scale as the API server then has it. After a conflict
    /// the Scale is read again and the same number is written, up to three times: the number does
    /// not depend on the one that was changed.
    Task<Scale> write(std::string ns, ScaleRef ref, Scale scale, std::int64_t replicas);

private:
    Host host_;
};

}  // namespace capstan::replicas
