#include "hung_request.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace capstan::clouds {

void grow_with_a_hung_request(CloudStory& story, const HungRequest& request) {
    const CloudServer& server = *story.parts().front().server;
    std::set<std::string> seen;
    const auto comes = [&](std::chrono::seconds within, const std::function<bool()>& condition) {
        return e2e::becomes(within, [&] {
            for (std::string& name : story.nodes()) seen.insert(std::move(name));
            return condition();
        });
    };
    story.scale(3);
    story.run();
    ASSERT_TRUE(comes(std::chrono::seconds(60), [&] { return story.has_ready_pods(3); }));
    server.strike(request.rules);
    story.scale(9);
    EXPECT_TRUE(comes(std::chrono::seconds(90), [&] { return story.has_ready_pods(9); }));
    EXPECT_THAT(server.hits(), ::testing::Each(::testing::Gt(0))) << "each fault has struck";
    request.once_grown();
    EXPECT_TRUE(comes(std::chrono::seconds(60), request.is_taken_back));
    EXPECT_FALSE(comes(std::chrono::seconds(5), [] { return false; }));
    EXPECT_THAT(story.nodes(), ::testing::UnorderedElementsAreArray(seen)) << "none has ended";
}

}  // namespace capstan::clouds
