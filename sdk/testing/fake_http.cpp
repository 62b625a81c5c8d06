#include <capstan/testing/fake_http.hpp>

#include <algorithm>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

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
    keep(request);
    const auto at = std::find_if(exchanges_.begin(), exchanges_.end(), [&](const Exchange& e) {
        return e.times != 0 && e.method == request.method && e.url == request.url &&
               (!e.request_body || *e.request_body == request.body);
    });
    if (at == exchanges_.end()) return std::nullopt;
    if (at->times > 0) --at->times;
    return *at;
}

std::string_view FakeHttp::host_name(std::string_view url) noexcept {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (url.substr(0, scheme.size()) != scheme) continue;
        url.remove_prefix(scheme.size());
        url = url.substr(0, url.find_first_of("/?#"));
        const std::size_t user = url.find('@');
        if (user != std::string_view::npos) url.remove_prefix(user + 1);
        return url.substr(0, url.find(':'));
    }
    return {};
}

bool FakeHttp::is_granted(std::string_view name) const noexcept {
    return granted_.empty() || std::find(granted_.begin(), granted_.end(), name) != granted_.end();
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
