/// What outlives a pass.
#pragma once

#include <map>
#include <set>
#include <string>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

/// A group that is left alone because growing it failed.
struct Backoff {
    Time until{};
    Duration length{};  ///< the next failure in a row doubles it
    Time last_failure{};
    ErrorCode code = ErrorCode::unavailable;
    std::string because{};  ///< what came back
    bool operator==(const Backoff&) const = default;
};

/// A value: it can be saved, loaded and compared.
struct Memory {
    std::map<NodeGroupId, Backoff> backoffs{};
    /// Machines that failed and are still listed by their cloud: each counts as one failure of its
    /// group, however many passes see it.
    std::map<NodeGroupId, std::set<MachineId>> failed_machines{};
    bool operator==(const Memory&) const = default;
};

}  // namespace capstan::engine
