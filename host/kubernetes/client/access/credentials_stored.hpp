/// Stored credentials: in the kubeconfig itself, or in files that another program renews.
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

/// An old service account token stays valid for at least a minute after the file has a new one.
inline constexpr Duration token_file_age_max = std::chrono::seconds(50);
inline constexpr Duration certificate_file_age_max = std::chrono::minutes(5);

struct StoredSecrets {
    HttpHeaders headers{};  ///< without the token's header
    std::string token{};    ///< used until `token_file` can be read
    std::filesystem::path token_file{};
    PemSource certificate{}, key{};
};

/// The secrets of a user without an exec plugin.
StoredSecrets stored_secrets(const KubeconfigUser& user);

/// Called when a file cannot be read. Its previous content, or StoredSecrets::token, stays in use.
using ErrorCallback = std::function<void(const Error&)>;

/// Reads the files now, and again at the first request after their maximum age or after a 401. A
/// request waits only for this. Borrows the loop. `invalid_config`: a file cannot be read, or its
/// content is of another kind. With a `token`, an unreadable token file is no error.
Result<std::unique_ptr<Credentials>> make_stored_credentials(io::Loop& loop, StoredSecrets secrets,
                                                             ErrorCallback on_error = {});

}  // namespace capstan::kubernetes::client
