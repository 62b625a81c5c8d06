/// TLS options of a client: trusted authorities and the client certificate.
#pragma once

#include <string>

namespace capstan::io {

/// PEM members are text, not files. The key is secret: there is deliberately no function that
/// prints it.
struct TlsOptions {
    std::string ca_pem{};           ///< the only trusted authorities; empty: the system's
    std::string certificate_pem{};  ///< the client's, with its chain; empty: none
    std::string key_pem{};
    /// The name for SNI and for the verification of the server's certificate. The connection still
    /// goes to the URL's host, and the Host header has the URL's host. Empty: the URL's host.
    std::string server_name{};
    bool verify = true;

    bool operator==(const TlsOptions&) const = default;
    bool has_certificate_of(const TlsOptions& other) const {
        return certificate_pem == other.certificate_pem && key_pem == other.key_pem;
    }
};

}  // namespace capstan::io
