/// How changes of groups are refused, and what an error of one means.
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

/// Of a change that was sent: without Google's word against it, what came of it is not known.
inline Error outcome_of_change(Error error) {
    if (error.code == ErrorCode::unavailable) error.code = ErrorCode::deadline;
    return error;
}

}  // namespace capstan::gce
