/// Environment variables that AWS's own tools read.
#pragma once

#include <span>

#include <capstan/environment.hpp>

namespace capstan::aws {

/// The variables of AWS's clients that the plugin reads, and HOME.
std::span<const char* const> variable_names() noexcept;

}  // namespace capstan::aws
