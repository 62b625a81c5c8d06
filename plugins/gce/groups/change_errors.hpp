/// Helpers for the errors of group changes.
#pragma once

#include <string>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

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

}  // namespace capstan::gce
