/// The authorities that a client trusts, and what it proves itself with.
#pragma once

#include <string>

namespace capstan::io {

/// All PEM as text, never as a file. The key is secret: deliberately nothing prints it.
struct TlsOptions {
    std::string ca_pem{};           ///< these alone are trusted; empty: the system's
    std::string certificate_pem{};  ///< the client's, with its chain; empty: none
    std::string key_pem{};
    /// Asked for in the handshake and looked for in the server's certificate instead of the URL's
    /// host; connection and Host header stay the URL's. Empty: the URL's host.
    std::string server_name{};
    bool verify = true;

    bool operator==(const TlsOptions&) const = default;
    bool has_certificate_of(const TlsOptions& other) const {
        return certificate_pem == other.certificate_pem && key_pem == other.key_pem;
    }
};

}  // namespace capstan::io
