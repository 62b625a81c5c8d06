/// Names of secrets, in a configuration and where plugins ask for them.
#pragma once

#include <string_view>

namespace capstan::runtime::config {

/// The name becomes a file's name below [secrets] dir; what Kubernetes takes as a key of a Secret
/// is safe there.
constexpr bool is_secret_name(std::string_view name) noexcept {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 253 && name != "." && !name.starts_with("..") &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace capstan::runtime::config
