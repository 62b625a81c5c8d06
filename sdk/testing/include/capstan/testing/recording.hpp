/// Conversations over HTTP as text that is kept beside a test, and read by `capstan plugin verify
/// --http`: a list of requests, each with its outcome.
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
/// the reply. "< NAME: VALUE" lines are its headers, "<< NAME: VALUE" lines its trailers. The text
/// after the first empty line, up to the next "> " line and without its last line break, is the
/// body of the reply. If no reply came, there is a line "! CODE MESSAGE" instead. "#" lines and
/// empty lines between exchanges are ignored.
///
/// A body with a line that begins with "> ", or with bytes that are not text, is in "<| " lines. In
/// these and in ">| " lines `\\` is a backslash and `\xHH` a byte. "***" in a URL or in the body of
/// a request stands for any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_http.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// An error names the line. `name` is the name of the text in error messages.
Result<std::vector<Exchange>> parse_recording(std::string_view text,
                                              std::string_view name = "recording");

/// The text that parse_recording reads. Each of the `secrets`, also percent-encoded, is replaced by
/// "***", and so are values whose name says that they are secret: cookies, tokens, passwords and
/// signatures in headers, queries, forms, JSON and XML. Headers of requests are not written.
std::string to_recording(const std::vector<Exchange>& exchanges,
                         const std::vector<std::string>& secrets = {});
/// The conversation of a host so far, without the values of its secrets.
std::string to_recording(FakeHost& host);

/// A handler that answers as in the recording. A request takes the first exchange with its method,
/// URL and body that is not used up, or else the last one of them again. If there is none,
/// exchanges that were recorded without a body of the request are searched in the same way. A
/// request that was not recorded gets `unavailable`.
HttpHandler play(std::vector<Exchange> recording);

}  // namespace testing
CAPSTAN_NAMESPACE_END
