/// What the host does about each of AWS's error codes, and which of them are repeated.
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

/// By the code, and by AWS's wording where one code stands for several things, as ValidationError
/// does. Nothing: the code is not known. "Client." and "Server." in front of a code count for
/// nothing.
std::optional<CodeMeaning> find_meaning(std::string_view code, std::string_view message);

/// Of a reply: by its code, and by its HTTP status where the code is not known or absent.
CodeMeaning meaning_of(int status, std::string_view code, std::string_view message);

/// The credentials were refused: others may help.
bool is_refused_identity(std::string_view code) noexcept;
/// The time of the signature was refused, or may have been: the clocks differ.
bool is_refused_time(std::string_view code) noexcept;

/// As text of AWS's that holds words of a code in any case: "Max spot instance count exceeded".
bool contains_words(std::string_view text, std::string_view words) noexcept;

}  // namespace capstan::aws
