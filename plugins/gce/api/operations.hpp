/// Operations: what a change comes to.
#pragma once

#include <string>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/task.hpp>

#include "../wire/gce_client.hpp"
#include "../wire/resource_link.hpp"

namespace capstan::gce {

struct Operation {
    ResourceLink link{};  ///< of the collection "operations"
    bool is_done = false;
    /// Of one that ended, by classify_failure. Of several the one that weighs most: the first that
    /// is not `unavailable`. The subject is the resource that it names, if any.
    std::vector<Error> errors{};
    std::vector<std::string> warnings{};
};

/// Of an answer. `unavailable`: it is none.
Result<Operation> read_operation(const Json& json);

/// [strand] As it is now. A Failure: it cannot be asked for.
Task<Operation> ask_operation(GceClient& client, ResourceLink link);

/// [strand] Polls with `wait` until it is done, at most for `patience` and for what the operation
/// of the host has left. One that is not done by then is given back so: it goes on, and lists show
/// what it comes to. A Failure: it cannot be asked for.
Task<Operation> await_operation(Host host, GceClient& client, Operation operation,
                                Duration patience);

/// The first of its errors as a Failure, within `action`.
Result<void> outcome_of(const Operation& operation, const std::string& action);

}  // namespace capstan::gce
