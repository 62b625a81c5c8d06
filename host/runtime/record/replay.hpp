/// A recorded pass, to be decided again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/record/pass_record.hpp"

namespace capstan::runtime::record {

/// What was decided on, with the policies of now. Clouds are not asked again: their answers stand
/// in the record. `invalid_argument`: see make_cluster.
Result<PassInput> make_pass_input(const PassRecord& record, const engine::Settings& settings,
                                  Wiring wiring);

/// A value that is not as it was recorded.
struct Difference {
    /// {"decision", "increases", "web", "by"}: names that may hold any sign.
    std::vector<std::string> path{};
    std::optional<std::string> recorded{}, now{};  ///< nothing: it is not there, or a default
    bool operator==(const Difference&) const = default;
};
/// "decision/increases/web/by", to be read.
std::string text_of_path(const std::vector<std::string>& path);

/// By path; none: the outcomes are the same. Items of lists go by their names where they have some,
/// so that one that is there or not makes no other differ.
std::vector<Difference> find_differences(const engine::pass::Outcome& recorded,
                                         const engine::pass::Outcome& now);

/// One sentence for each plugin whose file is another one now, or that is not there.
std::vector<std::string> plugin_changes(const std::vector<PluginRecord>& recorded,
                                        const PluginSet& now);

}  // namespace capstan::runtime::record
