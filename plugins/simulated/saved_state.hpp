/// The state that the simulated cloud saves, so that it survives the end of its process, as text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "group.hpp"

namespace capstan::simulated {

/// The machines at the time `saved`; what happens afterwards follows from the settings. All times
/// except `written` are on the cloud's own clock in the process that wrote them.
struct Ledger {
    Time start{};
    Time saved{};
    Time written{};  ///< the same time as `saved`, by the host's wall clock
    std::map<std::string, GroupRecord, std::less<>> groups{};
    std::map<std::string, GroupPlan, std::less<>> plans{};  ///< of groups that the cloud made
    bool operator==(const Ledger&) const = default;
};

/// Adds `by` to all times on the cloud's clock.
void shift(Ledger& ledger, Duration by);

/// About 30 bytes a machine. Times are truncated to milliseconds.
std::string to_text(const Ledger& ledger);
/// `invalid_argument`: the text was not made by to_text.
Result<Ledger> parse_ledger(std::string_view text);

}  // namespace capstan::simulated
