/// Conversations over HTTP as text that is kept beside a test, and read by `capstan plugin verify
/// --http`: one request and what came back after another.
///
///     # the API of a test account
///     > GET https://api.example/groups
///     < 200
///     < content-type: application/json
///     << x-checksum: 7
///
///     {"groups":[]}
///     > POST https://api.example/groups/web/resize?token=***
///     >| {"by":2}
///     ! unavailable the connection was lost
///
/// "> METHOD URL" begins an exchange; ">| " lines are the body of the request. "< STATUS" begins
/// its reply, "< NAME: VALUE" lines are its headers, "<< NAME: VALUE" lines its trailers; what
/// follows the first empty line, up to the next
/// "> " line, is its body without its last line break. "! CODE MESSAGE" stands in place of a reply
/// that never came. "#" lines and empty ones between exchanges are passed over.
///
/// A body that cannot stand there as it is (a line that begins with "> ", bytes that are no text)
/// is in "<| " lines. In these and in ">| " lines `\\` is a backslash and `\xHH` a byte. "***" in a
/// URL or in the body of a request stands for any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_http.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// The error names the line. `name` is how messages call the text.
Result<std::vector<Exchange>> parse_recording(std::string_view text,
                                              std::string_view name = "recording");

/// What parse_recording reads. In place of each of the `secrets`, also percent-encoded, stands
/// "***", and so it does for what is a secret by its name: cookies, tokens, passwords and
/// signatures in headers, queries, forms, JSON and XML. Headers of requests are not written.
std::string to_recording(const std::vector<Exchange>& exchanges,
                         const std::vector<std::string>& secrets = {});
/// The conversation of a host so far, without the values of its secrets.
std::string to_recording(FakeHost& host);

/// A handler that answers as the recording did. A request takes the first recorded exchange of its
/// method, URL and body that is not used up, else the last of them again; where no recorded body is
/// the same, one recorded without a body. A request that was not recorded gets `unavailable`.
HttpHandler play(std::vector<Exchange> recording);

}  // namespace testing
CAPSTAN_NAMESPACE_END
