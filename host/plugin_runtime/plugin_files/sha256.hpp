/// Content hashes, for pins in the configuration and for names of private copies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::plugin_runtime::plugin_files {

/// 64 lower-case hexadecimal digits, as `sha256sum` prints them.
std::string sha256_hex(std::span<const std::byte> bytes);

/// A pin of the configuration in the form of sha256_hex. Upper case is accepted.
Result<std::string> parse_sha256(std::string_view pin);

}  // namespace capstan::plugin_runtime::plugin_files
