/// HTTP as a test wants it: replies that were arranged before, requests that were kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/http.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// A request that is expected, and what comes back. Without `reply` and `error` it is never
/// answered: the request ends at its time-out.
struct Exchange {
    std::string method = "GET";
    std::string url{};
    std::optional<std::string> request_body{};  ///< nothing: any body will do
    std::optional<HttpReply> reply{};
    std::optional<Error> error{};  ///< in place of a reply: no connection, a broken one
    Duration latency{};            ///< of the virtual clock
    int times = 1;                 ///< how many requests it answers; below zero: any number
};

/// A reply in one line: reply(200, R"({"groups":[]})").
inline HttpReply reply(int status, std::string body = {}, HttpHeaders headers = {},
                       HttpHeaders trailers = {}) {
    return {status, std::move(headers), std::move(body), std::move(trailers)};
}

/// Each request takes the first arranged exchange that suits it and is not used up. One that suits
/// none gets ErrorCode::unavailable, as when a network is down.
class FakeHttp {
public:
    /// The reply to the next request of that method and URL.
    FakeHttp& on(std::string method, std::string url, HttpReply reply);
    FakeHttp& on(std::string method, std::string url, Error error);
    FakeHttp& on(Exchange exchange);
    /// As above, to any number of requests.
    FakeHttp& always(std::string method, std::string url, HttpReply reply);

    /// Host names a request may go to; without a call of this one, all.
    FakeHttp& grant(std::string host_name);

    /// All requests so far, in order, with their flags, also those that were refused.
    const std::vector<HttpRequest>& requests() const noexcept { return requests_; }
    /// "GET https://... (2 left)" for each arranged exchange that has not been used up.
    std::vector<std::string> unused() const;

    /// The exchange for a request, which counts as used; for the fake host.
    std::optional<Exchange> take(const HttpRequest& request);
    /// A request that was refused, and uses up nothing; for the fake host.
    void keep(const HttpRequest& request) { requests_.push_back(request); }
    /// Whether the URL is http or https with a host name; and whether that name is granted. For the
    /// fake host.
    static std::string_view host_name(std::string_view url) noexcept;
    bool is_granted(std::string_view host_name) const noexcept;

private:
    std::vector<Exchange> exchanges_;
    std::vector<HttpRequest> requests_;
    std::vector<std::string> granted_;
};

/// Exchanges from text, so that real traffic can be kept beside a test. One request and its reply
/// after another:
///
///     > GET https://api.example/groups
///     < 200
///     < content-type: application/json
///     << x-checksum: 7
///
///     {"groups":[]}
///
/// A line "> METHOD URL" begins an exchange, "< STATUS" its reply, further "< NAME: VALUE" lines
/// its headers, "<< NAME: VALUE" lines its trailers; what follows the first empty line, up to the
/// next "> " line, is the body without its last line break. "#" lines before the first exchange are
/// comments. The error names the line.
Result<std::vector<Exchange>> parse_cassette(std::string_view text);

}  // namespace testing
CAPSTAN_NAMESPACE_END
