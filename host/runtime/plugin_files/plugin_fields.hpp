/// The schema of a class's settings, as the plugin describes it.
#pragma once

#include <capstan/abi/settings.h>

#include <cstddef>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::runtime {

/// Room for `size` bytes of text that a plugin lends; refuses a length without a pointer and longer
/// texts.
Result<std::string_view> checked_text(capstan_str text, std::string_view what,
                                      std::size_t size_max);

/// An array whose elements hold at least `element_min` bytes each, properly aligned, at most
/// `count_max` of them.
Result<void> check_array(capstan_array array, std::string_view what, std::size_t element_min,
                         std::uint32_t count_max);

/// Refuses fields without a key, keys that stand there twice, unknown types, an enum without
/// values, and schemas that are too deep or too large (which one that contains itself is). Says
/// which field.
Result<void> check_fields(capstan_array fields);

}  // namespace capstan::runtime
