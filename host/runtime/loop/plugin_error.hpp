/// Errors as plugins report them, made safe to keep and to print.
#pragma once

#include <string_view>

#include <capstan/abi/error.h>
#include <capstan/error.hpp>

namespace capstan::runtime::loop {

/// A copy of what a plugin reported: the message cut at 4 KiB and printable. Nothing, a struct that
/// is too short and CAPSTAN_OK are the plugin's bug: `internal`, which the message says.
Error copy_error(const capstan_error* reported);

/// What a status without a report says.
Error error_of(capstan_status status, std::string_view what);

}  // namespace capstan::runtime::loop
