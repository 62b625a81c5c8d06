/// Maps AWS's error codes to the host's ErrorCode, and says which errors are retried.
#pragma once

#include <optional>
#include <string_view>

#include <capstan/attempts.hpp>
#include <capstan/error.hpp>

namespace capstan::aws {

struct CodeMeaning {
    ErrorCode code = ErrorCode::internal;
    RepeatWhen again = RepeatWhen::never;
    bool operator==(const CodeMeaning&) const = default;
};

/// The meaning of a code. The message decides if one code has several meanings, as ValidationError
/// does. Absent if the code is unknown. The prefixes "Client." and "Server." are ignored.
std::optional<CodeMeaning> find_meaning(std::string_view code, std::string_view message);

/// The meaning of a reply: by its code, or by its HTTP status if the code is unknown or absent.
CodeMeaning meaning_of(int status, std::string_view code, std::string_view message);

/// What else a refusal to launch concerns, as far as its code tells. Limits of vCPUs and instances
/// are of a family of instance types in one market. Addresses, reservations, hosts and the highest
/// price for spot are the group's own.
ErrorScope scope_of(std::string_view code) noexcept;

/// Whether AWS refused the credentials, so that renewed ones may help.
bool is_refused_identity(std::string_view code) noexcept;
/// Whether AWS refused the time of the signature, or may have: the clocks may differ.
bool is_refused_time(std::string_view code) noexcept;

/// Whether `text` contains `words`, regardless of case.
bool contains_words(std::string_view text, std::string_view words) noexcept;

}  // namespace capstan::aws
