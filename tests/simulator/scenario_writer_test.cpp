#include "simulator/scenario_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../host/config/shipped_folder.hpp"
#include "simulator/scenario.hpp"

namespace capstan::simulator {
namespace {

using ::testing::HasSubstr;

Scenario read_written(const std::string& text) {
    const config::ShippedFolder shipped({"expanders/least_waste.so", "expanders/random.so",
                                         "similarity/resources.so", "similarity/labels.so",
                                         "balancer/node_groups.so", "simulated.so"});
    return read_scenario(config::Source{"scenario.toml", text}, "/scenarios", shipped.plugins());
}

/// The text that is written for what `text` says.
std::string rewritten(const std::string& text) {
    const Scenario read = read_written(text);
    if (!read.input) return read.diagnostics.text();
    const auto written = write_scenario(*read.input, {read.sections, read.balancers});
    return written ? *written : written.error().message;
}

/// A scenario with each key that a scenario can have, each with a value that is not its default.
constexpr std::string_view every_key = R"(
title = "all keys"
seed = 7
scan_interval = "20s"
register_delay = "11s"
ready_delay = "12s"
scheduler = false
scheduler_score = "random"
chaos = { settings = false, scheduler_score = false, machine_types = false, sizes = false }
scheduler_spread = ["zone", { topology_key = "rack", max_skew = 2 }]
[scale_up]
new_pod_delay = "1m"
[limits]
cpu = { max = "8" }
[cloud]
latency = "2s"
[[machine_type]]
machine = { type = "m4", cpu = "4" }
[[group]]
id = "web"
machine = { cpu = "4", memory = "8Gi" }
changes = [{ at = "1h", capacity = 3 }]
joins = false
provider_ids = false
nodes_stay = true
register_delay = "1s"
ready_delay = "2s"
late_by = "3s"
join_taints = ["starting:NoSchedule"]
join_missing_labels = ["team"]
late_resources = ["nvidia.com/gpu"]
late_labels = ["zone"]
late_taints = ["starting"]
[[node]]
name = "own"
provider_id = "simulated://web/7"
count = 2
cpu = "2"
memory = "4Gi"
pods = 20
resources = { "example.com/disk" = "3" }
allocatable = { cpu = "1500m" }
labels = { size = "small" }
taints = ["dedicated=ci:NoExecute"]
[[daemon_set]]
name = "agent"
limits = { cpu = "100m" }
[[replica_set]]
name = "packed"
packed = true
[[stateful_set]]
name = "row"
count = 2
[[service]]
name = "front"
namespace = "shop"
labels = { tier = "front" }
[[budget]]
name = "front"
namespace = "shop"
labels = { tier = "front" }
min_available = "50%"
[[balancer]]
name = "fronts"
namespace = "shop"
replicas = 3
labels = { tier = "front" }
policy = "priority"
startup_timeout = "1m"
targets = [{ name = "front", weight = 2, min = 1, max = 3 }, "back"]
[[fault]]
kind = "stock_out"
group = "web"
from = "1m"
until = "1h"
chance = 0.5
every = "2m"
lasts = "3m"
[[fault]]
kind = "api_error"
cloud = "simulated"
draw = "8f3a"
[[fault]]
kind = "flap"
draw = "8f3a"
[[fault]]
kind = "plugin_fails"
plugin = "least_waste"
[[fault]]
kind = "memory_limit"
room = 1000
[judge]
new_pod_delay = "30s"
evictions = 3.0
evictions_in_storm = 5.0
orders = 1.5
returns = 0.5
node_hours = 2.0
price = 1.5
off = ["rest"]
[[step]]
groups = [{ id = "late", machine = { cpu = "4" }, joins = true }]
remove_groups = ["late"]
change = [{ group = "web", capacity = 0, ready_delay = "5s" }]
cloud = [{ id = "simulated", drop = ["latency"], list_lag = "5s" }]
reload = ["scale_down.unneeded_time=1m"]
nodes = [{ name = "more", cpu = "1" }]
daemon_sets = [{ name = "logs", cpu = "10m" }]
edit = [{ node = "own-1", ready = true, cordoned = true, taints = ["a=b:NoSchedule"], drop_taints = ["c"], annotations = { d = "e" }, drop_annotations = ["f"], labels = { g = "h" }, drop_labels = ["i"] }]
budgets = [{ name = "all", max_unavailable = 1 }]
remove = ["logs"]
scale = { row = 3 }
bind = { web-1 = "own-1" }
within = "2h"
until = "increase web by 2"
expect = ["increase web by 2"]
expect_only = ["increase", "remove"]
expect_within = [{ command = "increase web by 2", from = "1s", to = "1m" }]
expect_never = ["evict"]
expect_pending = 1
expect_longest_pending = "1h"
expect_nodes = { web = 1 }
expect_targets = { web = 2 }
expect_present = ["own-1"]
expect_absent = ["web-9"]
expect_taints = [{ node = "own-1", has = ["a"], lacks = ["c"] }]
expect_backed_off = ["web"]
expect_not_backed_off = ["late"]
expect_unhelped = ["front: because"]
[[step.pods]]
name = "front"
namespace = "shop"
controller = "job"
owner = "fronts"
count = 3
cpu = "1500m"
memory = "1Gi"
resources = { "nvidia.com/gpu" = "1" }
labels = { tier = "front" }
annotations = { a = "b" }
node_selector = { size = "small" }
tolerations = [{ key = "dedicated", value = "ci", effect = "NoExecute" }, "batch"]
host_ports = ["8080", "53/UDP", "10.0.0.1:80"]
local_storage = true
grace = "45s"
duration = "1h"
start_up = "4s"
stop_time = "5s"
priority = -3
preemption_policy = "Never"
affinity = [{ topology_key = "zone", labels = { tier = "front" } }]
anti_affinity = [{ topology_key = "rack", labels = { tier = "back" } }, "hostname"]
[[step.pods.spread]]
topology_key = "zone"
max_skew = 2
min_domains = 3
node_taints_policy = "Honor"
labels = { tier = "front" }
[[step.pods.spread]]
topology_key = "hostname"
when_unsatisfiable = "ScheduleAnyway"
[[step]]
advance = "10m"
)";

/// A scenario in which steps begin at fixed times.
constexpr std::string_view fixed_times = R"(
[[group]]
id = "web"
machine = { cpu = "4" }
[judge]
calm = "2h"
[[step]]
at = "5m"
pods = [{ name = "web", cpu = "1" }]
[[step]]
at = "1h"
remove = ["web"]
advance = "4h"
)";

TEST(ScenarioWriter, ReadsBackWhatItWrote) {
    for (const std::string_view text : {every_key, fixed_times}) {
        const std::string written = rewritten(std::string(text));
        EXPECT_THAT(written, HasSubstr("[[step]]"));
        EXPECT_EQ(rewritten(written), written);
    }
}

/// The name of a table in both places where its keys can be.
std::string common_path(std::string path) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> same{{
        {"step.pods", "pods"},
        {"replica_set", "pods"},
        {"stateful_set", "pods"},
        {"step.nodes", "node"},
        {"step.daemon_sets", "pods"},
        {"daemon_set", "pods"},
        {"step.budgets", "budget"},
    }};
    for (const auto& [from, to] : same)
        if (path.starts_with(std::string(from) + "."))
            return std::string(to) + path.substr(from.size());
    return path;
}

void add_schema_keys(const config::Fields& fields, const std::string& above,
                     std::set<std::string>& to) {
    for (const config::Field& field : fields) {
        const std::string path = above.empty() ? field.key : above + "." + field.key;
        if (!field.opaque) to.insert(common_path(path));
        add_schema_keys(field.fields, path, to);
    }
}

void add_used_keys(const config::TomlValue& value, const std::string& above,
                   std::set<std::string>& to) {
    for (const config::TomlValue& member : value.children) {
        std::string path = above;
        if (!member.key.empty()) path += (above.empty() ? "" : ".") + member.key;
        to.insert(common_path(path));
        add_used_keys(member, path, to);
    }
}

/// Keys that say what another key says as well, or nothing that an Input keeps.
const std::set<std::string> not_written{
    "config",
    "pods.limits",
    "expect_only",
    "node.count",
    "pods.affinity.required",
    "pods.replicas",
    "pods.anti_affinity.required",
};

TEST(ScenarioWriter, WritesEveryKeyThatIsRead) {
    std::set<std::string> read, written;
    add_schema_keys(scenario_schema(), "", read);
    for (const std::string_view text : {every_key, fixed_times}) {
        config::Diagnostics diagnostics({"written", rewritten(std::string(text))});
        const auto root = config::parse_toml(diagnostics);
        ASSERT_TRUE(root) << diagnostics.text();
        add_used_keys(*root, "", written);
    }
    for (const std::string& key : read) {
        EXPECT_TRUE(written.contains(key) || not_written.contains(key))
            << key << " is read and not written; if the writer has it, add it to this test's text";
    }
}

TEST(ScenarioWriter, KeepsTheOrderOfActionsOfOneMoment) {
    Input input;
    input.steps = {{.actions = {{.what = Scale{"web", 3}},
                                {.what = Remove{"old"}},
                                {.what = Scale{"web", 4}},
                                {.what = Scale{"web", 5}}},
                    .advance = std::chrono::hours(1)}};
    const auto written = write_scenario(input, {{}, {}});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(*written,
              "\n[[step]]\nscale = { web = 3 }\n"
              "\n[[step]]\nremove = [\"old\"]\nscale = { web = 4 }\n"
              "\n[[step]]\nscale = { web = 5 }\nadvance = \"1h\"\n");
}

TEST(ScenarioWriter, GivesActionsInTheMiddleOfAStepTheirTime) {
    Input input;
    input.steps = {{.actions = {{.after = std::chrono::minutes(90), .what = Remove{"web"}}},
                    .advance = std::chrono::hours(2)},
                   {.advance = std::chrono::hours(4)}};
    const auto written = write_scenario(input, {{}, {}});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_THAT(*written, HasSubstr("at = \"1h30m\"\nremove = [\"web\"]\n"));
    EXPECT_THAT(*written, HasSubstr("at = \"2h\"\nadvance = \"4h\"\n"));
}

TEST(ScenarioWriter, RefusesWhatNoFileCanSay) {
    Input edited;
    edited.steps = {{.actions = {{.what = Registration{.joins = false}}}, .advance = Duration(0)}};
    const auto written = write_scenario(edited, {{}, {}});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::unsupported);
    EXPECT_THAT(written.error().message, HasSubstr("a change of how machines of all groups join"));
}

}  // namespace
}  // namespace capstan::simulator
