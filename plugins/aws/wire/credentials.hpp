/// The credentials that sign requests.
#pragma once

#include <optional>
#include <string>

#include <capstan/time.hpp>

namespace capstan::aws {

struct Credentials {
    std::string access_key_id{}, secret_access_key{};
    std::string session_token{};    ///< empty: long-lived keys
    std::optional<Time> expires{};  ///< absent: never
    std::string source{};  ///< for messages: "role arn:aws:iam::1:role/a through web identity"

    bool operator==(const Credentials&) const = default;
};

}  // namespace capstan::aws
