/// Tiers: priorities, each with the patterns that the ids of its groups match.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace re2 {
class RE2;
}

namespace capstan::expanders {

/// A regular expression in RE2's syntax, which Go and so upstream have, too. It may match anywhere
/// in the text. Matching takes time linear in the length of the text, whatever the pattern. Copies
/// share the compiled form. [any thread]
class Pattern {
public:
    bool matches(std::string_view text) const;
    const std::string& written() const;

private:
    friend Result<Pattern> parse_pattern(const std::string& written);
    explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

/// The error says what is wrong with the pattern.
Result<Pattern> parse_pattern(const std::string& written);

/// A decimal int64 with an optional sign.
Result<std::int64_t> parse_priority(std::string_view written);

/// Highest priority first.
using Tiers = std::map<std::int64_t, std::vector<Pattern>, std::greater<>>;

}  // namespace capstan::expanders
