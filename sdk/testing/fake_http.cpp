#include <capstan/testing/fake_http.hpp>

#include <algorithm>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

HttpOutcome delayed(Duration by, HttpReply reply) {
    HttpOutcome out(std::move(reply));
    out.latency = by;
    return out;
}

HttpOutcome dropped(Duration after) {
    HttpOutcome out(Error{ErrorCode::unavailable, "the connection was lost", "connection_lost"});
    out.latency = after;
    return out;
}

FakeHttp& FakeHttp::on(std::string method, std::string url, HttpReply reply) {
    return on({.method = std::move(method), .url = std::move(url), .reply = std::move(reply)});
}

FakeHttp& FakeHttp::on(std::string method, std::string url, Error error) {
    return on({.method = std::move(method), .url = std::move(url), .error = std::move(error)});
}

FakeHttp& FakeHttp::on(Exchange exchange) {
    exchanges_.push_back(std::move(exchange));
    return *this;
}

FakeHttp& FakeHttp::always(std::string method, std::string url, HttpReply reply) {
    return on({.method = std::move(method),
               .url = std::move(url),
               .reply = std::move(reply),
               .times = -1});
}

FakeHttp& FakeHttp::handle(HttpHandler handler) {
    handler_ = std::move(handler);
    return *this;
}

FakeHttp& FakeHttp::disconnect() {
    exchanges_.clear();
    return handle(
        [](const HttpRequest&) { return Error{ErrorCode::unavailable, "the network is down"}; });
}

FakeHttp& FakeHttp::grant(std::string host_name) {
    granted_.push_back(std::move(host_name));
    return *this;
}

std::vector<std::string> FakeHttp::unused() const {
    std::vector<std::string> out;
    for (const Exchange& e : exchanges_) {
        if (e.times > 0)
            out.push_back(e.method + " " + e.url + " (" + std::to_string(e.times) + " left)");
    }
    return out;
}

std::optional<Exchange> FakeHttp::take(const HttpRequest& request) {
    requests_.push_back(request);
    const auto at = std::find_if(exchanges_.begin(), exchanges_.end(), [&](const Exchange& e) {
        return e.times != 0 && e.method == request.method && e.url == request.url &&
               (!e.request_body || *e.request_body == request.body);
    });
    if (at == exchanges_.end()) return std::nullopt;
    if (at->times > 0) --at->times;
    return *at;
}

void FakeHttp::keep(const HttpRequest& request, const HttpOutcome& outcome) {
    conversation_.push_back(
        {.method = request.method,
         .url = request.url,
         .request_body = request.body.empty() ? std::nullopt : std::optional(request.body),
         .reply = outcome.reply,
         .error = outcome.error,
         .latency = outcome.latency});
}

namespace {

/// Behind "https://"; empty: the URL has another scheme.
std::string_view behind_scheme(std::string_view url) noexcept {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (url.substr(0, scheme.size()) == scheme) return url.substr(scheme.size());
    }
    return {};
}

}  // namespace

std::string_view FakeHttp::host_name(std::string_view url) noexcept {
    std::string_view authority = behind_scheme(url);
    authority = authority.substr(0, authority.find_first_of("/?#"));
    const std::size_t user = authority.find('@');
    if (user != std::string_view::npos) authority.remove_prefix(user + 1);
    return authority.substr(0, authority.find(':'));
}

std::string_view FakeHttp::target(std::string_view url) noexcept {
    const std::string_view rest = behind_scheme(url);
    const std::size_t start = std::min(rest.find_first_of("/?#"), rest.size());
    return rest.substr(start, rest.find('#') - start);
}

bool FakeHttp::is_granted(std::string_view name) const noexcept {
    return granted_.empty() || std::find(granted_.begin(), granted_.end(), name) != granted_.end();
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
