/// Decides a recorded pass again, and compares the outcomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/record/pass_record.hpp"

namespace capstan::autoscaler::record {

/// The recorded inputs, with these settings and this wiring. Clouds are not called again: their
/// answers are in the record. `invalid_argument`: see make_cluster.
Result<PassInput> make_pass_input(const PassRecord& record, const engine::Settings& settings,
                                  Wiring wiring);

/// A value that differs from the record.
struct Difference {
    /// {"decision", "increases", "web", "by"}; a part may have any character.
    std::vector<std::string> path{};
    std::optional<std::string> recorded{}, now{};  ///< absent: not set, or a default
    bool operator==(const Difference&) const = default;
};
/// "decision/increases/web/by", for messages.
std::string text_of_path(const std::vector<std::string>& path);

/// The differences, sorted by path. Empty: the outcomes are equal. Items of a list are matched by
/// name if they have one, so that an additional item does not make all later items differ.
std::vector<Difference> find_differences(const engine::pass::Outcome& recorded,
                                         const engine::pass::Outcome& now);

/// One sentence for each plugin of `now` whose file has changed or that is not in the record.
std::vector<std::string> plugin_changes(const std::vector<PluginRecord>& recorded,
                                        const PluginSet& now);

}  // namespace capstan::autoscaler::record
