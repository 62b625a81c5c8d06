/// What may stand in a request: checked before a header can become two.
#pragma once

#include <string>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::io {

/// RFC 9110's token: what methods and header names are made of; at most 256 bytes.
bool is_token(std::string_view text) noexcept;

/// Without blanks and line breaks at its ends.
std::string_view trimmed(std::string_view text) noexcept;

/// `invalid_argument`: the method or a header's name is no token, a header's value has a line break
/// or another control character, or there are more than 128 headers.
Result<void> check_syntax(const HttpRequest& request);

/// `invalid_argument`: a flag is unknown, or none of a request with this scheme, which is in lower
/// case.
Result<void> check_flags(const HttpRequest& request, std::string_view scheme);

}  // namespace capstan::io
