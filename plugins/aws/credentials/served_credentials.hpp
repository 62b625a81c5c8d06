/// The JSON in which metadata services serve credentials.
#pragma once

#include <string_view>

#include <capstan/result.hpp>

#include "../wire/credentials.hpp"

namespace capstan::aws {

/// {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}, and of IMDS a "Code" that is
/// "Success". An error says what is missing, and shows no value.
Result<Credentials> parse_served_credentials(std::string_view body);

/// Why a metadata service refused, in its words where the reply has some.
std::string served_refusal(int status, std::string_view body);

}  // namespace capstan::aws
