/// AWS's signature version 4 (SigV4): what proves that a request is from the one that has the
/// secret key.
///
///     HttpRequest request("POST", url);
///     request.header("content-type", form).with_body(body);
///     sign(request, credentials, {.region = "eu-central-1", .service = "ec2"}, now);
///
/// The text that is signed (the canonical request) has the method, the path, the sorted query, all
/// headers but a few that proxies change, and the digest of the body. Pure. [any]
#pragma once

#include <string>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/time.hpp>

#include "credentials.hpp"

namespace capstan::aws {

struct SigningScope {
    std::string region{}, service{};
};

/// Adds the headers x-amz-date, x-amz-security-token (where there is a session token) and
/// authorization; for S3 x-amz-content-sha256, too. Headers are added before, none after. `now` is
/// the time by AWS's clock. The path of the URL is percent-encoded already; it is encoded a second
/// time in the text that is signed, except for S3.
void sign(HttpRequest& request, const Credentials& credentials, const SigningScope& scope,
          Time now);

/// The text whose digest is signed. The request has its x-amz-date already.
std::string canonical_request(const HttpRequest& request, const SigningScope& scope);

/// In lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace capstan::aws
