/// Priorities, each with the patterns of the groups that have it.
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

/// A regular expression in RE2's syntax, which is Go's and so upstream's. It may match anywhere in
/// the text, and takes time linear in the text whatever the pattern. Copies share the compiled
/// form. [any thread]
class Pattern {
public:
    bool matches(std::string_view text) const;
    const std::string& written() const;

private:
    friend Result<Pattern> parse_pattern(const std::string& written);
    explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

/// Fails with what is wrong with it.
Result<Pattern> parse_pattern(const std::string& written);

/// A decimal int64 with an optional sign.
Result<std::int64_t> parse_priority(std::string_view written);

/// Highest priority first.
using Tiers = std::map<std::int64_t, std::vector<Pattern>, std::greater<>>;

}  // namespace capstan::expanders
