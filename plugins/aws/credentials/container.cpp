// The agents of ECS tasks and of EKS Pod Identity.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

#include "served_credentials.hpp"
#include "sources.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;

constexpr Duration container_timeout = 2s;
constexpr const char* ecs_agent = "http://169.254.170.2";

/// The host of an absolute URL, without the port and the brackets of IPv6. Empty if there is none,
/// or if the URL has a user name and password, which could disguise the host.
std::string_view container_host_of(std::string_view url) noexcept {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    url.remove_prefix(scheme + 3);
    url = url.substr(0, url.find_first_of("/?#\\"));
    if (url.find('@') != std::string_view::npos) return {};
    if (url.starts_with('[')) return url.substr(1, url.find(']') - 1);
    return url.substr(0, url.find(':'));
}

/// "127.0.0.1" to "127.255.255.255", or "::1".
bool is_loopback_address(std::string_view host) noexcept {
    if (host == "::1") return true;
    if (!host.starts_with("127.")) return false;
    int parts = 0;
    while (!host.empty()) {
        const std::string_view part = host.substr(0, host.find('.'));
        unsigned value = 0;
        const auto [end, bad] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (bad != std::errc() || end != part.data() + part.size() || value > 255) return false;
        host.remove_prefix(std::min(host.size(), part.size() + 1));
        ++parts;
    }
    return parts == 4;
}

bool is_container_agent(std::string_view host) noexcept {
    constexpr std::string_view agents[] = {"169.254.170.2", "169.254.170.23", "fd00:ec2::23",
                                           "localhost"};
    return std::find(std::begin(agents), std::end(agents), host) != std::end(agents);
}

bool breaks_a_line(std::string_view text) noexcept {
    return text.find_first_of("\r\n") != std::string_view::npos;
}

/// The value of the authorization header; empty if no variable sets a token.
Task<std::string> read_authorization(SharedLookup lookup) {
    const std::string file = lookup->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    std::string out = lookup->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    const std::string from = file.empty() ? "AWS_CONTAINER_AUTHORIZATION_TOKEN" : in_quotes(file);
    if (!file.empty()) out = co_await lookup->environment->read_file(file);
    if (breaks_a_line(out))
        co_return fail(ErrorCode::invalid_config,
                       from + " has a line break and cannot be sent as a header");
    co_return out;
}

Task<HttpReply> ask_agent(SharedLookup lookup, HttpRequest request) {
    RetryPolicy policy;
    request.header("accept", "application/json").direct().within(container_timeout);
    RetryingClient client(lookup->host, std::move(policy));
    co_return co_await client.send(std::move(request), Repeatable::yes);
}

/// The URL by the variables of containers; empty if none is set.
std::string container_url(const CredentialLookup& lookup) {
    const std::string relative = lookup.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (relative.empty()) return lookup.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    return ecs_agent + std::string(relative.starts_with('/') ? "" : "/") + relative;
}

}  // namespace

std::string find_url_mistake(const std::string& url) {
    const bool is_secure = url.starts_with("https://");
    if (breaks_a_line(url)) return "it has a line break";
    const std::string_view host = container_host_of(url);
    if ((!is_secure && !url.starts_with("http://")) || host.empty())
        return "not an http or https URL";
    if (is_secure || is_loopback_address(host) || is_container_agent(host)) return {};
    return "the token would be sent without TLS to " + std::string(host) +
           "; without TLS only 169.254.170.2, 169.254.170.23, fd00:ec2::23 and localhost are "
           "allowed";
}

Task<SourceAnswer> ask_container(SharedLookup lookup) {
    SourceAnswer out;
    const std::string url = container_url(*lookup);
    if (url.empty()) {
        out.absence = "AWS_CONTAINER_CREDENTIALS_FULL_URI is not set";
        co_return out;
    }
    const std::string mistake = find_url_mistake(url);
    if (!mistake.empty())
        co_return fail(ErrorCode::invalid_config,
                       in_quotes(without_query(url)) + " is not used: " + mistake);
    HttpRequest request("GET", url);
    std::string authorization = co_await read_authorization(lookup);
    if (!authorization.empty()) request.header("authorization", std::move(authorization));
    const HttpReply reply = co_await ask_agent(lookup, std::move(request));
    const std::string name = "GET " + std::string(without_query(url));
    if (!is_success(reply))
        co_return fail(ErrorCode::unauthenticated,
                       name + ": " + served_refusal(reply.status, reply.body));
    Result<Credentials> read = parse_served_credentials(reply.body);
    if (!read) co_return fail(within(name, read.error()));
    read->source = "the container credentials service at " + std::string(container_host_of(url));
    out.credentials = std::move(*read);
    co_return out;
}

}  // namespace capstan::aws
