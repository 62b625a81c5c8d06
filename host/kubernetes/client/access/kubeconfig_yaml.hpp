/// A YAML document as a tree with line numbers. Hides yaml-cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>
#include <capstan/result.hpp>

namespace capstan::kubernetes::client {

struct YamlValue {
    enum class Kind { null, text, list, map };

    Kind kind = Kind::null;
    std::size_t line = 0;               ///< counted from 1
    std::string key{};                  ///< of a map's member
    std::string text{};                 ///< as written, numbers and booleans, too
    bool is_plain = false;              ///< text without quotes, which may be a number
    std::vector<YamlValue> children{};  ///< items of a list; members of a map, in order

    /// The member of a map; NULL when there is none, or it is null.
    const YamlValue* find(std::string_view name) const;
};

/// Limits of one document. Aliases count with the size of what they repeat.
struct YamlLimits {
    std::size_t values = 100'000;
    std::size_t bytes = std::size_t{16} << 20;
    std::size_t depth = 64;
};

/// The one document in `text`; null when there is none. JSON is YAML, too. `invalid_config`, as
/// "NAME:3: why": malformed, binary, a key twice, more than one document, beyond the limits. The
/// text itself, which may hold secrets, is never quoted.
Result<YamlValue> parse_yaml(std::string_view name, const std::string& text,
                             const YamlLimits& limits = {});

/// Plain text that is a number or a boolean in JSON becomes one; other text stays text.
boost::json::value json_of(const YamlValue& value);

}  // namespace capstan::kubernetes::client
