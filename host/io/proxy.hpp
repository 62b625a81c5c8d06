/// The proxy of a request.
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "io/url.hpp"

namespace capstan::io {

/// The environment's proxy variables, not parsed.
struct ProxyEnvironment {
    std::string http{};      ///< http_proxy or HTTP_PROXY
    std::string https{};     ///< https_proxy or HTTPS_PROXY
    std::string all{};       ///< all_proxy or ALL_PROXY
    std::string no_proxy{};  ///< no_proxy or NO_PROXY: hosts without a proxy
};
ProxyEnvironment read_proxy_environment();

/// The environment's proxy for `url`; empty: none. Entries of no_proxy mean what they mean to
/// Kubernetes' own tools:
///     "*"                          no proxy for any host
///     "example.com"                that host and all its subdomains
///     ".example.com"               the subdomains alone
///     "10.0.0.1", "10.0.0.0/8"     that address, or the addresses of that network
///     any of them with ":8080"     that port alone
/// Requests to localhost and to loopback addresses never use this proxy.
std::string proxy_for(const Url& url, const ProxyEnvironment& environment);

/// A proxy's URL in the form that libcurl needs. "host:3128" is an http proxy. With socks5 the
/// proxy resolves host names. `invalid_config`: the text is not a URL, or not http, https or
/// socks5; the message does not quote it, because it may hold a password.
Result<std::string> parse_proxy(const std::string& text);

/// A result of parse_proxy without user name and password, for messages.
std::string without_login(const std::string& proxy);

}  // namespace capstan::io
