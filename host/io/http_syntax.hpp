/// Checks of requests, which prevent header injection.
#pragma once

#include <string>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::io {

/// Whether `text` is a token of RFC 9110, as methods and header names are, of at most 256 bytes.
bool is_token(std::string_view text) noexcept;

/// `text` without blanks and line breaks at its ends.
std::string_view trimmed(std::string_view text) noexcept;

/// `invalid_argument`: the method or a header's name is not a token, a header's value has a control
/// character other than a tab or more than 16 KiB, or there are more than 128 headers.
Result<void> check_syntax(const HttpRequest& request);

/// `invalid_argument`: a flag is unknown, or not allowed with this scheme. `scheme` is in lower
/// case.
Result<void> check_flags(const HttpRequest& request, std::string_view scheme);

}  // namespace capstan::io
