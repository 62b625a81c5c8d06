#include "simulator/live/live_cloud.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/text.hpp"
#include "live_case.hpp"
#include "simulator/live/live_warnings.hpp"

namespace capstan::simulator::live {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr auto two_groups = R"(
register_delay = "10s"
cloud = { latency = "2s" }
[[group]]
id = "web"
max = 3
boot = "50s"
machine = { cpu = "4", memory = "16Gi", labels = { boot = "30s" } }
options = { unneeded_time = "5m" }
[[group]]
id = "batch"
machine = { cpu = "4", memory = "16Gi" }
)";

TEST(LiveCloud, AddsTheRegisterDelayToTheBootTime) {
    const Input input = input_of(two_groups);
    const std::string settings = config::to_toml(LiveCloud(input, 1).settings());
    EXPECT_THAT(settings, HasSubstr(R"(boot = "1m")"));
    EXPECT_THAT(settings, HasSubstr(R"(boot = "1m10s")")) << "default boot time";
    EXPECT_THAT(settings, HasSubstr("register_nodes = true"));
    EXPECT_EQ(LiveCloud(input, 1).slowest_boot(), 70s);
}

TEST(LiveCloud, DividesDurationsBySpeed) {
    const Input input = input_of(two_groups);
    const std::string settings = config::to_toml(LiveCloud(input, 10).settings());
    EXPECT_THAT(settings, HasSubstr(R"(boot = "6s")"));
    EXPECT_THAT(settings, HasSubstr(R"(latency = "200ms")"));
    EXPECT_THAT(settings, HasSubstr(R"(unneeded_time = "30s")"));
    EXPECT_THAT(settings, HasSubstr(R"(labels = { boot = "30s" })"));
}

TEST(LiveCloud, SpeedsUpMachineTypes) {
    const Input input = input_of(std::string(two_groups) + R"(
[[machine_type]]
machine = { type = "m", cpu = "4", memory = "16Gi" }
boot = "90s"
[[machine_type]]
machine = { type = "n", cpu = "4", memory = "16Gi" }
delete_time = "30s"
)");
    const LiveCloud cloud(input, 10);
    const std::string settings = config::to_toml(cloud.settings());
    EXPECT_THAT(settings, HasSubstr(R"(boot = "10s")"));
    EXPECT_THAT(settings, HasSubstr(R"(delete_time = "3s", boot = "7s")"));
    EXPECT_EQ(cloud.slowest_boot(), 10s);
}

TEST(LiveCloud, AppliesTheChangesOfSteps) {
    const Input input = input_of(std::string(two_groups) + R"(
[[step]]
change = [{ group = "web", capacity = 1, max = 9, joins = false }]
remove_groups = ["batch"]
)");
    LiveCloud cloud(input, 10);
    for (const Action& action : input.steps.at(0).actions)
        EXPECT_TRUE(cloud.apply(action.what, 3s));
    const std::string settings = config::to_toml(cloud.settings());
    EXPECT_THAT(settings, HasSubstr("max = 9"));
    EXPECT_THAT(settings, HasSubstr(R"(changes = [{ capacity = 1, at = "3s" }])"));
    EXPECT_THAT(settings, HasSubstr(R"(boot = "876h")")) << "never joins";
    EXPECT_THAT(settings, ::testing::Not(HasSubstr("batch")));
}

TEST(LiveWarnings, ListIgnoredKeys) {
    EXPECT_THAT(find_live_warnings(input_of(two_groups)), IsEmpty());
    const Input input = input_of(std::string(two_groups) + R"(
[[fault]]
kind = "restart"
[[step]]
pods = [{ name = "web", stop_time = "5s" }]
until = "increase web"
expect = []
)");
    EXPECT_THAT(find_live_warnings(input),
                ElementsAre(HasSubstr("expect: "), HasSubstr("fault: 1 fault ignored"),
                            HasSubstr("until: "), HasSubstr("stop_time: ")));
}

}  // namespace
}  // namespace capstan::simulator::live
