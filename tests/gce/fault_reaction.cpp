#include "fault_reaction.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace capstan::gce {
namespace {

/// The number of the first call later than `after` of this method, and of this MIG unless `mig` is
/// empty; 0 if there is none.
std::int64_t first_number(const std::vector<Call>& calls, std::string_view method,
                          const std::string& mig, std::int64_t after) {
    const auto found = std::ranges::find_if(calls, [&](const Call& call) {
        return call.number > after && call.method.ends_with(method) &&
               (mig.empty() || call.group() == mig);
    });
    return found == calls.end() ? 0 : found->number;
}

}  // namespace

FaultReaction find_reaction(const GceServer& gce, const std::string& group,
                            const std::string& other) {
    const std::vector<Call> calls = gce.calls();
    FaultReaction out;
    out.requested = first_number(calls, ".createInstances", "shop-" + group, 0);
    out.listed = first_number(calls, ".listManagedInstances", "shop-" + group, out.requested);
    out.reacted = first_number(calls, ".createInstances", "shop-" + other, out.requested);
    out.next_pass = first_number(calls, "instanceGroupManagers.aggregatedList", "", out.listed);
    return out;
}

void expect_reaction_in_same_pass(const FaultReaction& reaction) {
    ASSERT_GT(reaction.requested, 0);
    ASSERT_GT(reaction.listed, reaction.requested);
    EXPECT_GT(reaction.reacted, reaction.listed);
    EXPECT_TRUE(reaction.next_pass == 0 || reaction.reacted < reaction.next_pass)
        << "listed by call " << reaction.listed << ", reaction in call " << reaction.reacted
        << ", next pass starts with call " << reaction.next_pass;
}

}  // namespace capstan::gce
