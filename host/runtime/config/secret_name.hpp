/// Names of secrets, in a configuration and in requests of plugins.
#pragma once

#include <string_view>

namespace capstan::runtime::config {

/// Whether Kubernetes accepts the name as a key of a Secret. Such a name is safe as a file name in
/// [secrets] dir.
constexpr bool is_secret_name(std::string_view name) noexcept {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 253 && name != "." && !name.starts_with("..") &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace capstan::runtime::config
