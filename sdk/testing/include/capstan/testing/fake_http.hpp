/// HTTP as a test wants it: replies that were arranged before, or a handler that answers as a cloud
/// would, and requests that were kept.
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
    std::optional<Error> error{};  ///< in place of a reply: no connection, a broken one
    Duration latency{};            ///< of the virtual clock
    int times = 1;                 ///< how many requests it answers; below zero: any number
};

/// A reply in one line: reply(200, R"({"groups":[]})").
inline HttpReply reply(int status, std::string body = {}, HttpHeaders headers = {},
                       HttpHeaders trailers = {}) {
    return {status, std::move(headers), std::move(body), std::move(trailers)};
}

/// What becomes of one request. Without `reply` and `error` it is never answered: the request ends
/// at its time-out.
struct HttpOutcome {
    std::optional<HttpReply> reply{};
    std::optional<Error> error{};
    Duration latency{};  ///< of the virtual clock, until the reply or the error

    HttpOutcome() = default;
    HttpOutcome(HttpReply now) : reply(std::move(now)) {}
    HttpOutcome(Error instead) : error(std::move(instead)) {}
};
HttpOutcome delayed(Duration by, HttpReply reply);
/// The connection is lost before a reply came. What the handler did before stays done: the plugin
/// cannot know.
HttpOutcome dropped(Duration after = {});
inline HttpOutcome unanswered() { return {}; }

/// Called when a request is sent, on the thread that sends it, and with no lock held: it may use
/// the host.
using HttpHandler = std::function<HttpOutcome(const HttpRequest&)>;

/// Each request takes the first arranged exchange that suits it and is not used up. One that suits
/// none goes to the handler; without one it gets ErrorCode::unavailable, as when a network is down.
class FakeHttp {
public:
    /// The reply to the next request of that method and URL.
    FakeHttp& on(std::string method, std::string url, HttpReply reply);
    FakeHttp& on(std::string method, std::string url, Error error);
    FakeHttp& on(Exchange exchange);
    /// As above, to any number of requests.
    FakeHttp& always(std::string method, std::string url, HttpReply reply);
    /// Answers what no arranged exchange does, in place of an earlier handler.
    FakeHttp& handle(HttpHandler handler);

    /// The network goes down: from now on no request gets a reply, whatever was arranged.
    FakeHttp& disconnect();

    /// Host names a request may go to; without a call of this one, all.
    FakeHttp& grant(std::string host_name);

    /// All requests so far, in order, with their flags, also those that were refused.
    const std::vector<HttpRequest>& requests() const noexcept { return requests_; }
    /// "GET https://... (2 left)" for each arranged exchange that has not been used up.
    std::vector<std::string> unused() const;

    /// Requests that got a reply, an error or nothing in time, each with that, in the order in
    /// which they were sent. recording.hpp makes a text of them.
    const std::vector<Exchange>& conversation() const noexcept { return conversation_; }

    /// The host name of a URL, empty: it is not http or https, or has none.
    static std::string_view host_name(std::string_view url) noexcept;
    /// What stands behind the host name and its port, with the query: "/v1/groups?page=2".
    static std::string_view target(std::string_view url) noexcept;

    // For the fake host.
    /// The arranged exchange for a request, which counts as used. Keeps the request.
    std::optional<Exchange> take(const HttpRequest& request);
    const HttpHandler& handler() const noexcept { return handler_; }
    void keep(const HttpRequest& request, const HttpOutcome& outcome);
    /// A request that was refused, which uses up nothing.
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
