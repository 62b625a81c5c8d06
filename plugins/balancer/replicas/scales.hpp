/// The Scales of targets, through the host.
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

    /// `not_found`: the object, or its kind, is not there.
    Task<Scale> read(std::string ns, ScaleRef ref);
    /// Asks for so many replicas; as the server has it then. A conflict is tried again on what is
    /// there by now, for the number was decided without looking at the one that was changed.
    Task<Scale> write(std::string ns, ScaleRef ref, Scale scale, std::int64_t replicas);

private:
    Host host_;
};

}  // namespace capstan::replicas
