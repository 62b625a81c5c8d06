/// What a request to Google is authorized with.
#pragma once

#include <optional>
#include <string>

#include <capstan/task.hpp>
#include <capstan/time.hpp>

namespace capstan::gce {

struct AccessToken {
    std::string text{};             ///< of "Authorization: Bearer"; empty: requests go without
    std::optional<Time> expires{};  ///< nothing: never
    std::string source{};           ///< for people: "the metadata server"
    std::string quota_project{};    ///< of the header x-goog-user-project; empty: none
};

/// [strand] Gives a token that holds for a while longer; `renew` gives another one than the one
/// that was refused.
class TokenProvider {
public:
    virtual ~TokenProvider() = default;
    virtual Task<AccessToken> get() = 0;
    virtual Task<AccessToken> renew(std::string refused) = 0;
};

}  // namespace capstan::gce
