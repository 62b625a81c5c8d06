/// AWS's Signature Version 4 (SigV4): proves that the sender of a request has the secret key.
///
///     HttpRequest request("POST", url);
///     request.header("content-type", form).with_body(body);
///     sign(request, credentials, {.region = "eu-central-1", .service = "ec2"}, now);
///
/// The text that is signed (the canonical request) has the method, the path, the sorted query, all
/// headers except a few that proxies may change, and the digest of the body. Pure. [any]
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

/// Adds the headers x-amz-date, x-amz-security-token (if there is a session token),
/// x-amz-content-sha256 (for S3) and authorization. All other headers have to be set before. `now`
/// is the time by AWS's clock. The path of the URL has to be percent-encoded; the canonical request
/// encodes it a second time, except for S3.
void sign(HttpRequest& request, const Credentials& credentials, const SigningScope& scope,
          Time now);

/// The text of the request; its digest is signed. The request has to have x-amz-date already.
std::string canonical_request(const HttpRequest& request, const SigningScope& scope);

/// In lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace capstan::aws
