/// What labels can be told.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/settings.hpp>

namespace re2 {
class RE2;
}

namespace capstan::similarity {

/// Preset and settings in one: what is to be compared, and what is not.
struct LabelsConfig {
    using Keys = std::set<std::string, std::less<>>;

    Keys ignore{};
    std::vector<std::string> ignore_prefixes{};
    std::vector<std::shared_ptr<const re2::RE2>> ignore_regexes{};  ///< match anywhere in the key
    Keys only{};  ///< label mode: these are compared, all others are not
    Keys same{};  ///< equal values, not empty, of one of these decide

    /// Only `ignore...` count; label mode does not ask.
    bool is_ignored(std::string_view key) const;
};

Schema labels_schema();
/// Throws Failure(invalid_config) for a regular expression that check_labels refuses.
LabelsConfig read_labels(const Settings& settings);
void check_labels(const Settings& settings);

}  // namespace capstan::similarity
