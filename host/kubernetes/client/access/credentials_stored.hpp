/// Credentials that are at hand: in the configuration, or in files that are renewed from outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/kubeconfig.hpp"

namespace capstan::kubernetes::client {

/// A service account's token counts for a minute at least after the file has another one.
inline constexpr Duration token_file_age_max = std::chrono::seconds(50);
inline constexpr Duration certificate_file_age_max = std::chrono::minutes(5);

struct StoredSecrets {
    HttpHeaders headers{};  ///< besides the token's
    std::string token{};    ///< until the file can be read
    std::filesystem::path token_file{};
    PemSource certificate{}, key{};
};

/// What a user is, without an exec plugin.
StoredSecrets stored_secrets(const KubeconfigUser& user);

/// Told when a file cannot be read again, in which case what it held before still counts.
using OnTrouble = std::function<void(const Error&)>;

/// Reads the files now, then at the first request after their age is up, or after a 401; a request
/// never waits for anything else. Borrows the loop. `invalid_config`: a file cannot be read, or
/// holds something else; for a token file only where there is no token besides.
Result<std::unique_ptr<Credentials>> make_stored_credentials(io::Loop& loop, StoredSecrets secrets,
                                                             OnTrouble on_trouble = {});

}  // namespace capstan::kubernetes::client
