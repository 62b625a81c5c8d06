/// Operations: the asynchronous outcomes of changes.
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
    /// The errors of an operation that ended, classified by classify_failure; those with the code
    /// `unavailable` come last. The subject of an error is the resource that it names, if any.
    std::vector<Error> errors{};
    std::vector<std::string> warnings{};
};

/// `unavailable`: `json` is not an operation.
Result<Operation> read_operation(const Json& json);

/// [strand] The operation as it is now. Throws a Failure if it cannot be read.
Task<Operation> ask_operation(GceClient& client, ResourceLink link);

/// [strand] Polls until the operation is done, at most for `patience`, and at most for the time
/// that the host's call has left. If it is not done by then, it is returned with `is_done` false;
/// it goes on (see OpenOperations). Throws a Failure if it cannot be read.
Task<Operation> await_operation(Host host, GceClient& client, Operation operation,
                                Duration patience);

/// Fails with the first error of the operation, if it has any; `action` is put in front of the
/// message.
Result<void> outcome_of(const Operation& operation, const std::string& action);

}  // namespace capstan::gce
