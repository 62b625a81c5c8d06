/// Errors of group changes.
#pragma once

#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

#include "../wire/resource_link.hpp"

namespace capstan::gce {

inline std::string changed_group(const NodeGroupId& group) {
    return "group " + in_quotes(group.value());
}

inline Unexpected refuse_change(const NodeGroupId& group, ErrorCode code, const std::string& why) {
    return fail(code, changed_group(group) + ": " + why);
}

/// The error of a change that was sent. Google has not refused the change if the error is
/// `unavailable`, so the outcome is unknown (`deadline`).
inline Error outcome_of_change(Error error) {
    if (error.code == ErrorCode::unavailable) error.code = ErrorCode::deadline;
    return error;
}

/// The errors of an operation by instance; the subject of each is a machine's id. An error that
/// names an instance concerns that instance only. An error that names none concerns all.
std::vector<Error> errors_by_machine(const std::vector<ResourceLink>& instances,
                                     const std::vector<Error>& errors);

}  // namespace capstan::gce
