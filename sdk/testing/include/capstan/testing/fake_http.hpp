/// A fake of capstan.http/1: replies that a test arranges, or a handler that answers as a cloud
/// would, and the requests that were sent.
///
///     FakeAcme acme(host);                                 // the test's own: groups, machines
///     host.http().handle([&](const HttpRequest& request) { return acme.answer(request); });
#pragma once

#include <functional>
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
    std::optional<std::string> request_body{};  ///< absent: any body will do
    std::optional<HttpReply> reply{};
    std::optional<Error> error{};  ///< instead of a reply, such as a lost connection
    Duration latency{};            ///< in virtual time
    int times = 1;                 ///< how many requests it answers; below zero: any number
};

/// A reply in one line: reply(200, R"({"groups":[]})").
inline HttpReply reply(int status, std::string body = {}, HttpHeaders headers = {},
                       HttpHeaders trailers = {}) {
    return {status, std::move(headers), std::move(body), std::move(trailers)};
}

/// The outcome of one request. Without `reply` and `error` it is never answered: the request ends
/// at its time-out.
struct HttpOutcome {
    std::optional<HttpReply> reply{};
    std::optional<Error> error{};
    Duration latency{};  ///< until the reply or the error, in virtual time

    HttpOutcome() = default;
    HttpOutcome(HttpReply now) : reply(std::move(now)) {}
    HttpOutcome(Error instead) : error(std::move(instead)) {}
};
HttpOutcome delayed(Duration by, HttpReply reply);
/// The connection is lost before a reply comes. What the handler did stays done, and the plugin
/// cannot know that.
HttpOutcome dropped(Duration after = {});
inline HttpOutcome unanswered() { return {}; }

/// Called when a request is sent, on the thread that sends it, and with no lock held: it may use
/// the host.
using HttpHandler = std::function<HttpOutcome(const HttpRequest&)>;

/// Each request takes the first arranged exchange that matches it and is not used up. A request
/// without such an exchange goes to the handler. Without a handler it gets ErrorCode::unavailable,
/// as if the network were down.
class FakeHttp {
public:
    /// The reply to the next request of that method and URL.
    FakeHttp& on(std::string method, std::string url, HttpReply reply);
    FakeHttp& on(std::string method, std::string url, Error error);
    FakeHttp& on(Exchange exchange);
    /// The same reply to any number of requests.
    FakeHttp& always(std::string method, std::string url, HttpReply reply);
    /// Sets the handler for requests without an arranged exchange. Replaces an earlier handler.
    FakeHttp& handle(HttpHandler handler);

    /// The network goes down: all arranged exchanges and the handler are dropped, and requests get
    /// ErrorCode::unavailable.
    FakeHttp& disconnect();

    /// Grants requests to a host name. Without any call of this function all host names are
    /// granted.
    FakeHttp& grant(std::string host_name);

    /// All requests so far, in order, with their flags, also refused ones.
    const std::vector<HttpRequest>& requests() const noexcept { return requests_; }
    /// "GET https://... (2 left)" for each arranged exchange that has not been used up.
    std::vector<std::string> unused() const;

    /// The requests that were not refused, each with its reply or its error, in the order in which
    /// they were sent. Neither: no reply came in time. recording.hpp formats them as text.
    const std::vector<Exchange>& conversation() const noexcept { return conversation_; }

    /// The host name of a URL. Empty: the URL is not http or https, or has no host name.
    static std::string_view host_name(std::string_view url) noexcept;
    /// The path and the query of a URL: "/v1/groups?page=2".
    static std::string_view target(std::string_view url) noexcept;

    // For the fake host.
    /// The arranged exchange for a request, which is then used once more; absent: there is none.
    /// Records the request.
    std::optional<Exchange> take(const HttpRequest& request);
    const HttpHandler& handler() const noexcept { return handler_; }
    void keep(const HttpRequest& request, const HttpOutcome& outcome);
    /// Records a request that was refused, and uses no exchange.
    void keep_refused(const HttpRequest& request) { requests_.push_back(request); }
    bool is_granted(std::string_view host_name) const noexcept;
    void forget() noexcept { requests_ = {}, conversation_ = {}; }

private:
    std::vector<Exchange> exchanges_;
    std::vector<Exchange> conversation_;
    std::vector<HttpRequest> requests_;
    std::vector<std::string> granted_;
    HttpHandler handler_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
