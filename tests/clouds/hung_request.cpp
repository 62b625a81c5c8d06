#include "hung_request.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <boost/json/object.hpp>

namespace capstan::clouds {

void grow_with_a_hung_request(CloudScenario& scenario, const HungRequest& request) {
    const CloudServer& server = *scenario.parts().front().server;
    std::set<std::string> seen;
    const auto becomes = [&](std::chrono::seconds within, const std::function<bool()>& condition) {
        return e2e::becomes(within, [&] {
            for (std::string& name : scenario.nodes()) seen.insert(std::move(name));
            return condition();
        });
    };
    // Lists are late, but have all groups when the autoscaler starts.
    server.set("time", boost::json::object{{"advance", 10}});
    scenario.scale(3);
    scenario.run();
    ASSERT_TRUE(becomes(std::chrono::seconds(60), [&] { return scenario.has_ready_pods(3); }));
    server.set_faults(request.rules);
    scenario.scale(9);
    EXPECT_TRUE(becomes(std::chrono::seconds(90), [&] { return scenario.has_ready_pods(9); }));
    EXPECT_THAT(server.fault_counts(), ::testing::Each(::testing::Gt(0)))
        << "each fault was injected";
    request.once_grown();
    EXPECT_TRUE(becomes(std::chrono::seconds(60), request.is_cancelled));
    EXPECT_FALSE(becomes(std::chrono::seconds(5), [] { return false; }));
    EXPECT_THAT(scenario.nodes(), ::testing::UnorderedElementsAreArray(seen))
        << "no machine was removed";
}

}  // namespace capstan::clouds
