/// Which proxy a request goes through.
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "io/url.hpp"

namespace capstan::io {

/// What the environment says, in the variables' own syntax.
struct ProxyEnvironment {
    std::string http{};       ///< http_proxy or HTTP_PROXY
    std::string https{};      ///< https_proxy or HTTPS_PROXY
    std::string otherwise{};  ///< all_proxy or ALL_PROXY
    std::string none{};       ///< no_proxy or NO_PROXY: hosts that are asked directly
};
ProxyEnvironment read_proxy_environment();

/// The environment's proxy for `url`; empty: none. As Kubernetes' own tools have it:
///     no_proxy = "*"               no proxy at all
///     "example.com"                that host and every name below; ".example.com": names below
///     "10.0.0.1", "10.0.0.0/8"     that address, and those of the network
///     any of them with ":8080"     that port alone
/// This machine itself is always asked directly.
std::string proxy_for(const Url& url, const ProxyEnvironment& environment);

/// A proxy's URL as libcurl wants it; "host:3128" is an http one, and socks5 leaves names for the
/// proxy to resolve. `invalid_config`: none, or not http, https or socks5; without the URL, which
/// may hold a password.
Result<std::string> parse_proxy(const std::string& text);

/// The same for people to read: a proxy as parse_proxy gives it, without user name and password.
std::string without_login(const std::string& proxy);

}  // namespace capstan::io
