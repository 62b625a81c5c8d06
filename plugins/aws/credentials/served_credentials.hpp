/// Parses the JSON in which metadata services serve credentials.
#pragma once

#include <string_view>

#include <capstan/result.hpp>

#include "../wire/credentials.hpp"

namespace capstan::aws {

/// Parses {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}; IMDS adds a "Code" that has to
/// be "Success". An error says what is wrong and contains no credentials.
Result<Credentials> parse_served_credentials(std::string_view body);

/// Why a metadata service refused: the status, and the message in the reply or the beginning of its
/// body.
std::string served_refusal(int status, std::string_view body);

}  // namespace capstan::aws
