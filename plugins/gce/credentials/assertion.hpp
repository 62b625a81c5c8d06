/// JSON Web Tokens with which a service account requests an access token (RFC 7523, RS256).
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

namespace capstan::gce {

struct Assertion {
    std::string issuer{};    ///< the account's e-mail address
    std::string scopes{};    ///< separated by blanks
    std::string audience{};  ///< the URL of the token endpoint
    std::string key_id{};    ///< empty: none
    Time at{};               ///< the time of issue; the token is valid for an hour
};

/// "HEADER.CLAIMS.SIGNATURE". `private_key` is in PEM format. `invalid_config`: it is not a usable
/// RSA key; the error contains nothing of the key.
Result<std::string> sign_assertion(const Assertion& assertion, std::string_view private_key);

}  // namespace capstan::gce
