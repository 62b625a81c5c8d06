/// The settings of labels as values, and their schema.
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

/// Which labels are compared: preset and settings together.
struct LabelsConfig {
    using Keys = std::set<std::string, std::less<>>;

    Keys ignore{};
    std::vector<std::string> ignore_prefixes{};
    std::vector<std::shared_ptr<const re2::RE2>> ignore_regexes{};  ///< match anywhere in the key
    Keys only{};  ///< not empty: label mode, and only these are compared
    Keys same{};  ///< one of these with equal values, not empty, decides that groups are similar

    /// Whether one of `ignore...` names the label. Not used in label mode.
    bool is_ignored(std::string_view key) const;
};

Schema labels_schema();
/// Throws Failure(invalid_config) for a regular expression that check_labels refuses.
LabelsConfig read_labels(const Settings& settings);
void check_labels(const Settings& settings);

}  // namespace capstan::similarity
