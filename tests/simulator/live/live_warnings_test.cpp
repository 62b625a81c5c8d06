#include "simulator/live/live_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "simulator/input.hpp"

namespace capstan::simulator::live {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

Input input_with(Expectations expect) {
    Input out;
    out.steps.push_back({.expect = std::move(expect)});
    return out;
}

Input input_with(ExternalEvent what) {
    Input out;
    out.steps.emplace_back().actions.push_back({.what = std::move(what)});
    return out;
}

/// Without a remark about the clouds of the configuration.
std::vector<std::string> warnings_about(const Input& input) {
    return find_live_warnings(input, false);
}

TEST(LiveWarningsOfExpectations, AreAboutWhatIsNotCompared) {
    EXPECT_THAT(warnings_about(input_with(Expectations{
                    .pending = 0, .nodes = {{"web", 1}}, .present = {"n1"}, .absent = {"n2"}})),
                IsEmpty());
    const std::vector<Expectations> not_compared{
        {.commands = std::vector<std::string>{}},
        {.within = {{.command = "increase web"}}},
        {.never = {"evict"}},
        {.longest_pending = 5min},
        {.targets = {{"web", 1}}},
        {.taints = {{.node = "n1", .has = {"team"}}}},
        {.backed_off = std::vector<std::string>{}},
        {.not_backed_off = {"web"}},
        {.unschedulable = std::vector<std::string>{}},
    };
    for (const Expectations& expectations : not_compared)
        EXPECT_THAT(warnings_about(input_with(expectations)),
                    ElementsAre("expect: only expect_pending, expect_nodes, expect_present and "
                                "expect_absent are compared in a live cluster"));
}

TEST(LiveWarningsOfRegistrations, AreGivenForTheStartAndForSteps) {
    const std::vector<std::pair<Registration, std::string>> cases{
        {{.taints = std::vector<Taint>{}}, "join_taints: ignored; nodes join without these taints"},
        {{.missing_labels = std::vector<std::string>{"zone"}},
         "join_missing_labels: ignored; nodes join with these labels"},
        {{.late_resources = std::vector<std::string>{"nvidia.com/gpu"}},
         "late_resources, late_labels, late_taints: ignored; nodes join complete"},
        {{.late_taints = std::vector<std::string>{"team"}},
         "late_resources, late_labels, late_taints: ignored; nodes join complete"},
        {{.provider_ids = false}, "provider_ids: ignored; nodes join with spec.providerID"},
        {{.nodes_stay = true}, "nodes_stay: ignored; nodes are deleted with their machines"},
        {{.ready_delay = 5s},
         "ready_delay: ignored for single groups; the file's ready_delay applies to all"},
    };
    for (const auto& [registration, warning] : cases) {
        Input at_start;
        at_start.registrations = {registration};
        EXPECT_THAT(warnings_about(at_start), ElementsAre(warning));
        EXPECT_THAT(warnings_about(input_with(registration)), ElementsAre(warning));
    }
    EXPECT_THAT(warnings_about(input_with(Registration{.joins = false, .register_delay = 5s})),
                IsEmpty());
}

TEST(LiveWarningsOfPods, AreAboutWhatTheSchedulerDecides) {
    PodBatch owned, packed, slow;
    owned.pod.owner = {.kind = "ReplicaSet", .name = "web"};
    packed.packed = true;
    slow.stop_time = 1ns;
    EXPECT_THAT(warnings_about(input_with(owned)),
                ElementsAre("owner: ignored; each batch has a controller of its own"));
    EXPECT_THAT(warnings_about(input_with(packed)),
                ElementsAre("packed: ignored; the scheduler binds pods"));
    EXPECT_THAT(warnings_about(input_with(slow)),
                ElementsAre("stop_time: ignored; pods stop after a tenth of their grace period"));
    EXPECT_THAT(warnings_about(input_with(PodBatch{})), IsEmpty());
}

TEST(LiveWarningsOfTheInput, AreInOneOrder) {
    Input input = input_with(Reload{});
    input.faults.resize(2);
    input.scheduler = false;
    input.objects.nodes.push_back({.name = "n1", .provider_id = "aws:///i-1"});
    EXPECT_THAT(find_live_warnings(input, true),
                ElementsAre("fault: 2 faults ignored; inject faults of the API server at "
                            "/capstan/faults",
                            "reload: ignored; change the configuration file of the daemon",
                            "scheduler: ignored; the scheduler binds pods",
                            "provider_id: ignored; nodes of no group have no spec.providerID",
                            "pipeline.clouds: nodes of a cloud that is not simulated must join by "
                            "themselves"));
}

TEST(LiveWarningsOfTheInput, AreNotAboutCloudsThatAreSimulated) {
    Input input;
    EXPECT_THAT(warnings_about(input), IsEmpty());
    input.clouds.emplace_back();
    EXPECT_THAT(find_live_warnings(input, true), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::live
