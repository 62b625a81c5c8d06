/// Whether a certificate and a key can be used together.
#pragma once

#include <string>

#include <capstan/result.hpp>

namespace capstan::kubernetes {

/// Looked at before they are used, for a pair that is replaced file by file does not fit for a
/// moment, and TLS would only say that something is wrong. `invalid_config`: one of them cannot be
/// read, the key has a passphrase, or they do not belong together. Shows nothing of either.
Result<void> check_key_pair(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace capstan::kubernetes
