#include "passes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace capstan::gce {
namespace {

/// The first call after `after` of that method, on that MIG if there is one; 0: there is none.
std::int64_t first_number(const std::vector<Call>& calls, std::string_view method,
                          const std::string& mig, std::int64_t after) {
    const auto found = std::ranges::find_if(calls, [&](const Call& call) {
        return call.number > after && call.method.ends_with(method) &&
               (mig.empty() || call.group() == mig);
    });
    return found == calls.end() ? 0 : found->number;
}

}  // namespace

FirstSight first_sight(const GceServer& gce, const std::string& group, const std::string& other) {
    const std::vector<Call> calls = gce.calls();
    FirstSight out;
    out.asked = first_number(calls, ".createInstances", "shop-" + group, 0);
    out.seen = first_number(calls, ".listManagedInstances", "shop-" + group, out.asked);
    out.acted = first_number(calls, ".createInstances", "shop-" + other, out.asked);
    out.next_pass = first_number(calls, "instanceGroupManagers.aggregatedList", "", out.seen);
    return out;
}

void expect_acted_in_that_pass(const FirstSight& sight) {
    ASSERT_GT(sight.asked, 0);
    ASSERT_GT(sight.seen, sight.asked);
    EXPECT_GT(sight.acted, sight.seen);
    EXPECT_TRUE(sight.next_pass == 0 || sight.acted < sight.next_pass)
        << "seen by call " << sight.seen << ", acted on by call " << sight.acted
        << ", and the next pass begins with call " << sight.next_pass;
}

}  // namespace capstan::gce
