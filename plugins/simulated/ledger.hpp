/// What a cloud that outlives its process keeps of itself, as one text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "group.hpp"

namespace capstan::simulated {

/// Requests and removals at `saved`; what happened afterwards follows from the settings. All
/// moments but `written` are on the clock of the cloud in the process that wrote them.
struct Ledger {
    Time start{};
    Time saved{};
    Time written{};  ///< the same moment as `saved`, by the host's wall clock
    std::map<std::string, GroupRecord, std::less<>> groups{};
    std::map<std::string, GroupPlan, std::less<>> plans{};  ///< of groups that the cloud made
    bool operator==(const Ledger&) const = default;
};

/// Moves all moments on the cloud's clock by so much.
void shift(Ledger& ledger, Duration by);

/// About thirty bytes a machine. Times are cut to milliseconds.
std::string to_text(const Ledger& ledger);
/// `invalid_argument`: it is none.
Result<Ledger> parse_ledger(std::string_view text);

}  // namespace capstan::simulated
