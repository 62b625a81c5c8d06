/// The access token that authorizes requests to Google.
#pragma once

#include <optional>
#include <string>

#include <capstan/task.hpp>
#include <capstan/time.hpp>

namespace capstan::gce {

struct AccessToken {
    std::string text{};             ///< for "Authorization: Bearer"; empty: no such header is sent
    std::optional<Time> expires{};  ///< absent: never
    std::string source{};           ///< for messages: "the metadata server"
    std::string quota_project{};    ///< for the header x-goog-user-project; empty: none
};

/// [strand] Provides access tokens. `get` gives a token that is valid for a while longer. `renew`
/// gives a token other than the refused one, if there is one.
class TokenProvider {
public:
    virtual ~TokenProvider() = default;
    virtual Task<AccessToken> get() = 0;
    virtual Task<AccessToken> renew(std::string refused) = 0;
};

}  // namespace capstan::gce
