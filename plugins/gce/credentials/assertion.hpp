/// JSON Web Tokens by which a service account asks for an access token (RFC 7523, RS256).
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

namespace capstan::gce {

struct Assertion {
    std::string issuer{};    ///< the account's e-mail address
    std::string scopes{};    ///< with blanks between them
    std::string audience{};  ///< the URL of the token endpoint
    std::string key_id{};    ///< empty: none
    Time at{};               ///< since when it holds: for an hour
};

/// "HEADER.CLAIMS.SIGNATURE". `private_key` is PEM; `invalid_config`: it is no RSA key, of which
/// the error shows nothing.
Result<std::string> sign_assertion(const Assertion& assertion, std::string_view private_key);

}  // namespace capstan::gce
