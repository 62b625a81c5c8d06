// Pass timing while about forty percent of the calls to Google Cloud fail in various ways.
#include <boost/json/parse.hpp>

#include "../clouds/pass_timing.hpp"
#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;

constexpr auto faults = R"rules([
    {"fault": "reset_after", "every": 3, "action": "POST .*/(createInstances|deleteInstances|resize)"
},
    {"fault": "looping_token", "skip": 5, "every": 9, "action": "GET .*/aggregated/instanceGroupManagers", "count": 2},
    {"fault": "error", "every": 2, "code": "rateLimitExceeded", "status": 403, "action": ".*/operations/.*"},
    {"fault": "error", "every": 7, "code": "backendError", "status": 503, "service": "compute"},
    {"fault": "error", "count": 1, "status": 500, "service": "metadata"},
    {"fault": "hang", "every": 12, "seconds": 60},
    {"fault": "half_open", "every": 13},
    {"fault": "delay", "every": 5, "seconds": 0.7},
    {"fault": "reset", "every": 10},
    {"fault": "truncated", "every": 11},
    {"fault": "cut", "every": 11},
    {"fault": "html", "every": 11}
])rules";

TEST_F(GceDaemon, StartsPassesOnTimeDuringFaults) {
    GceScenario& s =
        begin({.groups = {{.name = "web"}},
               .more = {{"lag", 3},
                        {"identities", json::parse(R"({"token_seconds": 400})")},
                        {"delays", json::parse(R"({"operation": 0.5, "launch": 1, "boot": 3})")}}},
              {.scan_interval = "5s", .settings = "timeout = \"1s\"\n"});
    clouds::check_pass_timing(s, {.variable = "CAPSTAN_GCE_PASS_TIMING_SECONDS",
                                  .rules = json::parse(faults).as_array(),
                                  .wanted = [&] { return s.gce().target("web"); }});
    for (const Call& call : s.gce().calls("deleteInstances"))
        EXPECT_THAT(call.instances(), ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace capstan::gce
