#include "io/proxy.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <capstan/ascii.hpp>
#include <capstan/url.hpp>

#include "io/http_syntax.hpp"
#include "io/known_secrets.hpp"

namespace capstan::io {

namespace {

namespace ip = boost::asio::ip;

std::string variable(const char* lower, const char* upper) {
    for (const char* const name : {lower, upper}) {
        const char* const value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return {};
}

std::string_view without_brackets(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
    return host;
}

std::optional<ip::address> find_address(std::string_view text) {
    boost::system::error_code error;
    const ip::address address = ip::make_address(std::string(without_brackets(text)), error);
    return error ? std::nullopt : std::optional(address);
}

template <class Network, class Address>
bool holds(const Network& network, const Address& address) {
    return Network(address, network.prefix_length()).canonical() == network.canonical();
}

bool is_in_network(const ip::address& address, const std::string& cidr) {
    boost::system::error_code error;
    if (address.is_v4()) {
        const auto network = ip::make_network_v4(cidr, error);
        return !error && holds(network, address.to_v4());
    }
    const auto network = ip::make_network_v6(cidr, error);
    return !error && holds(network, address.to_v6());
}

/// Removes a port from the end of "host:8080" or "[::1]:8080". An IPv6 address without brackets has
/// no port.
std::optional<int> take_port(std::string_view& entry) {
    const std::size_t colon = entry.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (entry.find(':') != colon && entry[colon - 1] != ']') return std::nullopt;
    int port = 0;
    const char* const end = entry.data() + entry.size();
    const auto [last, error] = std::from_chars(entry.data() + colon + 1, end, port);
    if (error != std::errc() || last != end) return std::nullopt;
    entry = entry.substr(0, colon);
    return port;
}

bool is_exempt(const Url& url, std::string_view written) {
    std::string_view entry = trimmed(written);
    if (entry == "*") return true;
    const std::optional<int> port = take_port(entry);
    if (entry.empty() || (port && *port != url.port)) return false;
    const auto address = find_address(url.host);
    if (entry.find('/') != std::string_view::npos)
        return address && is_in_network(*address, std::string(entry));
    if (const auto other = find_address(entry)) return address && *other == *address;
    std::string name = lower_case(entry);
    if (name.starts_with("*.")) name.erase(0, 1);
    if (!name.starts_with('.') && url.host == name) return true;
    const std::string_view domain = std::string_view(name).substr(name.starts_with('.') ? 1 : 0);
    const std::string_view host = url.host;
    return host.size() > domain.size() + 1 && host.ends_with(domain) &&
           host[host.size() - domain.size() - 1] == '.';
}

/// Percent-encodes characters that libcurl cannot parse: its error message would quote the
/// password.
std::string escaped_login(std::string_view login) {
    static constexpr std::string_view plain = "-._~!$&'()*+,;=:%";
    return percent_encode_unless(
        login, [](char c) { return is_ascii_alnum(c) || plain.find(c) != plain.npos; });
}

bool is_this_machine(const Url& url) {
    const auto address = find_address(url.host);
    return url.host == "localhost" || (address && address->is_loopback());
}

}  // namespace

ProxyEnvironment read_proxy_environment() {
    return {variable("http_proxy", "HTTP_PROXY"), variable("https_proxy", "HTTPS_PROXY"),
            variable("all_proxy", "ALL_PROXY"), variable("no_proxy", "NO_PROXY")};
}

std::string proxy_for(const Url& url, const ProxyEnvironment& environment) {
    const std::string& own = url.scheme == "https" ? environment.https : environment.http;
    const std::string& proxy = own.empty() ? environment.all : own;
    if (proxy.empty() || is_this_machine(url)) return {};
    for (std::string_view rest = environment.no_proxy; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        if (is_exempt(url, rest.substr(0, comma))) return {};
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return proxy;
}

Result<std::string> parse_proxy(const std::string& text) {
    const std::size_t after_scheme = text.find("://");
    const bool has_scheme = after_scheme != std::string::npos;
    const std::string scheme = has_scheme ? lower_case(text.substr(0, after_scheme)) : "http";
    const std::string_view rest = std::string_view(text).substr(has_scheme ? after_scheme + 3 : 0);
    const bool is_socks = scheme == "socks5" || scheme == "socks5h";
    if (!is_socks && scheme != "http" && scheme != "https")
        return fail(ErrorCode::invalid_config, "proxy: the scheme is not http, https or socks5");
    // Unlike the URL of a request, a proxy's URL may have a user name and a password.
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::size_t at = authority.rfind('@');
    const bool has_login = at != std::string_view::npos;
    const std::string place(authority.substr(has_login ? at + 1 : 0));
    if (const auto checked = parse_url(std::string("http://").append(place)); !checked)
        return fail(within("proxy", {ErrorCode::invalid_config, checked.error().message}));
    std::string out;
    out.append(is_socks ? "socks5h" : scheme).append("://");
    if (has_login) {
        const std::string_view login = authority.substr(0, at);
        known_secrets().add(login.substr(std::min(login.find(':'), login.size() - 1) + 1));
        out.append(escaped_login(login)).append("@");
    }
    return out.append(place);
}

std::string without_login(const std::string& proxy) {
    const std::size_t place = proxy.find("://") + 3;
    const std::size_t at = proxy.rfind('@');
    return at == std::string::npos ? proxy : proxy.substr(0, place) + proxy.substr(at + 1);
}

}  // namespace capstan::io
