#include "simulator/scenario.hpp"

#include <gtest/gtest.h>

#include "../host/config/shipped_folder.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

Scenario read(const std::string& text) {
    const config::ShippedFolder shipped({"expanders/least_waste.so", "expanders/random.so",
                                         "similarity/resources.so", "similarity/labels.so",
                                         "balancer/node_groups.so", "simulated.so"});
    return read_scenario(config::Source{"scenario.toml", text}, "/scenarios", shipped.plugins());
}

TEST(ScenarioFile, ExpandsAGroupWithZonesIntoOnePerZone) {
    const Scenario scenario =
        read("[[group]]\nid = \"web\"\nzones = [\"a\", \"b\"]\nmachine = { cpu = \"4\" }\n");
    ASSERT_TRUE(scenario.input && !scenario.input->clouds.empty()) << scenario.diagnostics.text();
    const auto* groups = scenario.input->clouds.front().settings.find("groups");
    ASSERT_EQ(groups->children.size(), 2u);
    EXPECT_EQ(groups->children[1].find("id")->text, "web-b");
    EXPECT_EQ(groups->children[1].find("zone")->text, "b");
    EXPECT_EQ(groups->children[1].find("zones"), nullptr);
    EXPECT_EQ(groups->children[1].find("machine")->place.line, 4u) << "diagnostics need the line";
}

TEST(ScenarioFile, AppliesAChangeAtTheStartOfItsStep) {
    const Scenario scenario = read(R"(
group = [{ id = "web", machine = { cpu = "4" } }]
[[step]]
until = "idle"
[[step]]
change = [{ group = "web", capacity = 0, machine = { cpu = "8" } }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const auto& change = std::get<CloudChange>(scenario.input->steps[1].actions.at(0).what);
    EXPECT_EQ(change.group, "web");
    EXPECT_EQ(change.change.find("group"), nullptr);
    const auto& then = scenario.input->clouds.front().changed.find("groups")->children[0];
    EXPECT_EQ(then.find("machine")->find("cpu")->text, "8");
    EXPECT_EQ(then.find("changes")->children[0].find("capacity")->integer, 0);
    EXPECT_EQ(scenario.input->clouds.front().settings.find("groups")->children[0].find("changes"),
              nullptr);
}

TEST(ScenarioFile, ReadsHowNodesOfAGroupJoin) {
    const Scenario scenario = read(R"(
group = [{ id = "web", machine = { cpu = "4" }, joins = false }]
[[step]]
change = [{ group = "web", joins = true, join_taints = ["starting:NoSchedule"] }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    EXPECT_EQ(scenario.input->registrations.at(0).joins, false);
    const auto& later = std::get<Registration>(scenario.input->steps[0].actions.at(0).what);
    EXPECT_EQ(later.joins, true);
    EXPECT_EQ(later.taints->at(0).key, "starting");
    EXPECT_EQ(later.nodes_stay, std::nullopt);
}

TEST(ScenarioFile, UsesLimitsAsRequestsOfADaemonSet) {
    const Scenario scenario = read(
        "daemon_set = [{ name = \"agent\", cpu = \"100m\", limits = { cpu = \"1\", memory = "
        "\"1Gi\" } }]\n");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const Resources& requests = scenario.input->objects.daemon_sets.at(0).spec.requests;
    EXPECT_EQ(requests, (Resources{{"cpu", 100}, {"memory", std::int64_t{1} << 30}}));
}

TEST(ScenarioFile, ReadsAllocatableOfANode) {
    const Scenario scenario = read(
        "node = [{ name = \"n\", cpu = \"4\", memory = \"8Gi\", allocatable = { cpu = "
        "\"3800m\" } }]\n");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const engine::snapshot::NodeObject& node = scenario.input->objects.nodes.at(0);
    EXPECT_EQ(node.capacity.amount("cpu"), 4000);
    EXPECT_EQ(node.allocatable.amount("cpu"), 3800);
    EXPECT_EQ(node.allocatable.amount("memory"), node.capacity.amount("memory"));
}

TEST(ScenarioFile, ReadsMixedMachineTypes) {
    const Scenario scenario = read(R"(
group = [{ id = "web", machine = { type = "a", cpu = 4, memory = "8Gi", mix = [{ type = "b", cpu = "2", memory = "16Gi" }] } }]
[[step]]
change = [{ group = "web", machine = { cpu = "3" } }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const Registration& first = scenario.input->registrations.at(0);
    EXPECT_EQ(first.group, "web");
    EXPECT_EQ(first.types.at("a").amount("cpu"), 4000);
    EXPECT_EQ(first.types.at("b").amount("memory"), std::int64_t{16} << 30);
    const auto& later = std::get<Registration>(scenario.input->steps[0].actions.at(0).what);
    EXPECT_EQ(later.types.at("a").amount("cpu"), 3000);
    EXPECT_EQ(later.types.at("b").amount("cpu"), 2000);
}

TEST(ScenarioFile, ReadsStepsThatEndAtACommand) {
    const Scenario scenario = read(
        "[[step]]\nuntil = \"increase web by 2\"\nwithin = \"20m\"\n[[step]]\n"
        "until = \"command\"\n");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    EXPECT_EQ(scenario.input->steps[0].until_command->command, "increase web by 2");
    EXPECT_EQ(scenario.input->steps[0].until_command->within, 20min);
    EXPECT_EQ(scenario.input->steps[1].until_command->command, "");
}

TEST(ScenarioFile, RejectsExpectationsThatCanNeverBeMet) {
    const std::string group = "group = [{ id = \"web\", machine = { cpu = \"4\" } }]\n[[step]]\n";
    const struct {
        const char *expectation, *error;  ///< empty `error`: accepted
    } cases[]{
        {"expect_never = [\"flarb\"]",
         "scenario.toml:3:17: expect_never: \"flarb\" is not a command"},
        {"expect_never = [\"increase web-\"]", "unknown group \"web-\"; did you mean 'web'?"},
        {"expect = [\"increase wbe by 2\"]", "unknown group \"wbe\"; did you mean 'web'?"},
        {"expect = [\"increase database by 2\"]", "unknown group \"database\"; known: web"},
        {"expect_within = [\"increse web\"]", "scenario.toml:3:18: expect_within: \"increse web\""},
        {"expect_within = [{ command = \"increase wbe\", to = \"1m\" }]", "unknown group \"wbe\""},
        {"expect_within = [\"increase web\"]", ""},
        {"expect_nodes = { wbe = 1 }", "3:18: expect_nodes: unknown group \"wbe\""},
        {"expect_targets = { web = 1, wbe = 1 }", "expect_targets: unknown group \"wbe\""},
        {"expect_nodes = { web = 1 }\nexpect_targets = { web = 1 }", ""},
        {"expect_backed_off = [\"wbe\"]", "3:22: expect_backed_off: unknown group \"wbe\""},
        {"expect_not_backed_off = [\"wbe\"]", "expect_not_backed_off: unknown group \"wbe\""},
        {"expect_backed_off = []\nexpect_not_backed_off = [\"web\"]", ""},
        {"expect_unhelped = [\"shpo: reason\"]", "unknown batch \"shpo\"; did you mean 'shop'?"},
        {"expect_unhelped = [\"shop in wbe: reason\"]", "unknown group \"wbe\""},
        {"expect_unhelped = [\"shop\"]", "expects \"BATCH: SENTENCE\""},
        {"expect_unhelped = [\"shop in web: reason\", \"shop: reason\"]", ""},
        {"until = \"increase wbe\"", "until: unknown group \"wbe\""},
        {"until = \"idle\"", ""},
        {"expect = [\"remove web-1 from wbe\"]", "unknown group \"wbe\""},
        {"expect_never = [\"increase web\", \"evict\", \"remove web-1\"]", ""},
        {"expect = [\"increase w* by 2\"]", ""},
    };
    for (const auto& c : cases) {
        const Scenario scenario = read(group + c.expectation + "\npods = [{ name = \"shop\" }]\n");
        const std::string diagnostics = scenario.diagnostics.text();
        if (*c.error == '\0') {
            EXPECT_EQ(scenario.diagnostics.errors(), 0u) << diagnostics;
        } else {
            EXPECT_NE(diagnostics.find(c.error), std::string::npos)
                << c.expectation << ": " << diagnostics;
        }
    }
    const Scenario made = read(
        "[[machine_type]]\nmachine = { type = \"m\", cpu = \"4\" }\n[[step]]\n"
        "expect = [\"create nap-*\"]\n");
    EXPECT_EQ(made.diagnostics.errors(), 0u) << made.diagnostics.text();
}

TEST(ScenarioFile, ReadsHostPorts) {
    const Scenario scenario = read(R"(
[[step]]
pods = [{ name = "dns", host_ports = ["8080", "53/UDP", "10.0.0.1:80/TCP"] }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const auto& batch = std::get<PodBatch>(scenario.input->steps[0].actions.at(0).what);
    EXPECT_EQ(batch.pod.spec.ports,
              (std::vector<engine::snapshot::HostPort>{
                  {"", "TCP", 8080}, {"", "UDP", 53}, {"10.0.0.1", "TCP", 80}}));
    for (const char* bad : {"http", "0", "65536", "53/udp", "80/", ""}) {
        const std::string diagnostics =
            read("[[step]]\npods = [{ name = \"dns\", host_ports = [\"" + std::string(bad) +
                 "\"] }]\n")
                .diagnostics.text();
        EXPECT_NE(diagnostics.find("scenario.toml:2:39: host_ports: expects a port such as"),
                  std::string::npos)
            << diagnostics;
    }
}

TEST(ScenarioFile, ReadsSoftSpreadAndAffinity) {
    const Scenario scenario = read(R"(
[[step]]
pods = [{ name = "web", spread = [{ topology_key = "zone", when_unsatisfiable = "ScheduleAnyway" }], anti_affinity = [{ topology_key = "hostname", required = false }, "zone"] }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const engine::snapshot::PodSpec& spec =
        std::get<PodBatch>(scenario.input->steps[0].actions.at(0).what).pod.spec;
    EXPECT_TRUE(spec.spread.empty());
    EXPECT_TRUE(spec.has_soft_spread);
    ASSERT_EQ(spec.pod_anti_affinity.size(), 1u);
    EXPECT_EQ(spec.pod_anti_affinity[0].topology_key, "topology.kubernetes.io/zone");
    const std::string diagnostics = read(R"([[step]]
pods = [{ name = "web", spread = [{ topology_key = "zone", when_unsatisfiable = "ScheduleAnyway", min_domains = 2 }] }]
)")
                                        .diagnostics.text();
    EXPECT_NE(diagnostics.find("scenario.toml:2:35: spread: 'min_domains' needs DoNotSchedule"),
              std::string::npos)
        << diagnostics;
}

TEST(ScenarioFile, LabelsPodsOfABatchWithItsName) {
    const Scenario scenario = read(R"(
[[step]]
pods = [{ name = "web", cpu = "500m", spread = ["zone"], anti_affinity = [{ topology_key = "hostname", labels = { app = "db" } }] }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const auto& batch = std::get<PodBatch>(scenario.input->steps[0].actions[0].what);
    EXPECT_EQ(batch.count, std::nullopt);
    EXPECT_EQ(batch.pod.labels.at("app"), "web");
    EXPECT_EQ(batch.pod.spec.requests.amount("cpu"), 500);
    const engine::snapshot::SpreadConstraint& spread = batch.pod.spec.spread.at(0);
    EXPECT_EQ(spread.topology_key, "topology.kubernetes.io/zone");
    EXPECT_EQ(spread.selector->match_labels, (Labels{{"app", "web"}}));
    const engine::snapshot::PodTerm& apart = batch.pod.spec.pod_anti_affinity.at(0);
    EXPECT_EQ(apart.topology_key, "kubernetes.io/hostname");
    EXPECT_EQ(apart.selector->match_labels, (Labels{{"app", "db"}}));
}

TEST(ScenarioFile, CreatesReplicaSetsBeforeThePodsOfTheFirstStep) {
    const Scenario scenario = read(R"(
replica_set = [{ name = "one" }, { name = "two", count = 3 }]
[[step]]
pods = [{ name = "three" }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    const auto& actions = scenario.input->steps[0].actions;
    ASSERT_EQ(actions.size(), 3u);
    const auto& one = std::get<PodBatch>(actions[0].what);
    EXPECT_EQ(one.pod.name, "one");
    EXPECT_EQ(one.controller, Controller::replica_set);
    EXPECT_EQ(std::get<PodBatch>(actions[1].what).count, 3);
    EXPECT_EQ(std::get<PodBatch>(actions[2].what).pod.name, "three");
}

TEST(ScenarioFile, DistinguishesNoCommandsFromNoExpectation) {
    const Scenario scenario = read("[[step]]\nexpect = []\n[[step]]\n");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    EXPECT_EQ(scenario.input->steps[0].expect.commands, std::vector<std::string>());
    EXPECT_EQ(scenario.input->steps[1].expect.commands, std::nullopt);
}

TEST(ScenarioFile, ReadsBudgetsOfANumberOrPercentage) {
    const Scenario scenario = read(R"(
budget = [{ name = "a", min_available = 3 }, { name = "b", max_unavailable = "30%" }]
[[step]]
budgets = [{ name = "c", min_available = "50%" }, { name = "d", max_unavailable = 0 }]
)");
    ASSERT_TRUE(scenario.input) << scenario.diagnostics.text();
    std::vector<Budget> budgets = scenario.input->budgets;
    for (const Action& action : scenario.input->steps[0].actions)
        budgets.push_back(std::get<Budget>(action.what));
    const auto of_ten = [&](std::size_t i) {
        const Budget& budget = budgets.at(i);
        const auto& least = budget.min_available;
        return std::pair(budget.name, (least ? least : budget.max_unavailable)->of(10));
    };
    EXPECT_EQ(of_ten(0), std::pair(std::string("a"), 3));
    EXPECT_EQ(of_ten(1), std::pair(std::string("b"), 3));
    EXPECT_TRUE(budgets[1].max_unavailable->is_percent);
    EXPECT_EQ(of_ten(2), std::pair(std::string("c"), 5));
    EXPECT_EQ(of_ten(3), std::pair(std::string("d"), 0));
}

TEST(ScenarioFile, RejectsInvalidBudgets) {
    for (const char* wrong : {"-1", "\"-1\"", "\"50 %\"", "\"5.5%\"", "\"%\"", "\"+5%\"",
                              "\"101%\"", "\"\"", "99999999999"}) {
        const Scenario scenario =
            read("[[budget]]\nname = \"web\"\nmin_available = " + std::string(wrong) + "\n");
        EXPECT_NE(scenario.diagnostics.text().find(
                      ":3:17: budget: 'min_available' must be a number of pods or a percentage"),
                  std::string::npos)
            << wrong << ": " << scenario.diagnostics.text();
    }
    EXPECT_GT(read("[[budget]]\nname = \"web\"\nmin_available = true\n").diagnostics.errors(), 0u);
}

TEST(ScenarioFile, ResolvesTheConfigurationFileRelativeToItsFolder) {
    const Scenario scenario = read("config = \"../capstan.toml\"\n");
    EXPECT_EQ(scenario.config_file, "/scenarios/../capstan.toml");
    EXPECT_FALSE(scenario.has_sections);
}

TEST(ScenarioFile, UsesTheConfiguredCloudsIfItHasNoGroups) {
    const Scenario scenario = read("title = \"nothing\"\n");
    ASSERT_TRUE(scenario.input);
    EXPECT_TRUE(scenario.input->clouds.empty());
}

}  // namespace
}  // namespace capstan::simulator
