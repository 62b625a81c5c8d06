/// What a cloud that outlives its process keeps of itself, as one text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "group.hpp"

namespace capstan::simulated {

/// Requests and removals at `saved`; what happened afterwards follows from the settings.
struct Ledger {
    Time start{};
    Time saved{};
    std::map<std::string, GroupRecord, std::less<>> groups{};
    std::map<std::string, GroupPlan, std::less<>> plans{};  ///< of groups that the cloud made
    bool operator==(const Ledger&) const = default;
};

/// About thirty bytes a machine. Times are cut to milliseconds.
std::string to_text(const Ledger& ledger);
/// `invalid_argument`: it is none.
Result<Ledger> parse_ledger(std::string_view text);

}  // namespace capstan::simulated
