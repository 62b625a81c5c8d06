#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

TemplateSources rich_sources() {
    TemplateSources out = group_of({"m5.large", "c5.large", "r5.large"});
    out.group.zones = {"us-east-1a", "us-east-1b"};
    out.group.tags = {{tag("label/team"), "web"}, {"Name", "web"}};
    out.zone_ids = {{"us-east-1a", "use1-az4"}};
    out.launch_template = with_user_data("maxPods: 20");
    out.launch_template->block_devices = {{.device_name = "/dev/xvda", .size_gib = 20},
                                          {.device_name = "/dev/xvdb", .size_gib = 30}};
    out.image = amazon_linux_2023();
    out.nodegroup = EksNodegroup{.name = "web",
                                 .ami_type = "AL2023_x86_64_STANDARD",
                                 .labels = {{"tier", "front"}},
                                 .taints = {{.key = "a", .value = "1", .effect = "NO_SCHEDULE"},
                                            {.key = "b", .effect = "NO_EXECUTE"}}};
    return out;
}

using Change = std::function<void(TemplateSources&)>;

std::string fingerprint_after(const Change& change) {
    TemplateSources sources = rich_sources();
    change(sources);
    return fingerprint_of(sources, {.region = "us-east-1"});
}

TEST(AwsFingerprint, IgnoresTheOrder) {
    const std::string before = fingerprint_after([](TemplateSources&) {});
    EXPECT_EQ(before.size(), 16u);
    EXPECT_EQ(fingerprint_after([](auto& s) { std::ranges::reverse(s.types); }), before);
    EXPECT_EQ(fingerprint_after([](auto& s) { std::ranges::reverse(s.group.zones); }), before);
    EXPECT_EQ(
        fingerprint_after([](auto& s) { std::ranges::reverse(s.launch_template->block_devices); }),
        before);
    EXPECT_EQ(fingerprint_after([](auto& s) { std::ranges::reverse(s.nodegroup->taints); }),
              before);
}

TEST(AwsFingerprint, IgnoresChangesThatDoNotAffectNodes) {
    const std::string before = fingerprint_after([](TemplateSources&) {});
    const Change changes[] = {
        [](auto& s) { s.group.desired = 7; },
        [](auto& s) { s.group.max = 100; },
        [](auto& s) { s.group.name = "other"; },
        [](auto& s) { s.group.instances.push_back({.id = "i-1"}); },
        [](auto& s) { s.group.tags["Name"] = "other"; },
        [](auto& s) { s.group.tags[tag("autoscaling-options/scaledownunneededtime")] = "1m"; },
        [](auto& s) { s.launch_template->version = "8"; },
        [](auto& s) { s.launch_template->spot_max_price = "0.1"; },
        [](auto& s) { s.nodegroup->version = "1.32"; },
        [](auto& s) { s.types.front().usage_classes = {"spot"}; },
        // Requirements are ignored if types are known.
        [](auto& s) { s.requirements = InstanceRequirements{.vcpu_min = 2}; },
    };
    for (const Change& change : changes)
        EXPECT_EQ(fingerprint_after(change), before) << &change - changes;
}

TEST(AwsFingerprint, ChangesWithEverythingThatAffectsNodes) {
    const Change changes[] = {
        [](auto&) {},
        [](auto& s) { s.types.pop_back(); },
        [](auto& s) { s.types.front().vcpus = 3; },
        [](auto& s) { s.types.front().memory_mib = 3; },
        [](auto& s) { s.types.front().gpus = {{"NVIDIA", "T4", 1, 1}}; },
        [](auto& s) { s.types.front().neuron_devices = {{"AWS", "T4", 1, 1}}; },
        [](auto& s) { s.types.front().network_interfaces = 9; },
        [](auto& s) { s.types.front().ipv4_per_interface = 9; },
        [](auto& s) { s.types.front().has_prefix_delegation = false; },
        [](auto& s) { s.types.front().architectures = {"arm64"}; },
        [](auto& s) { s.types.front().instance_storage_gib = 9; },
        [](auto& s) { s.types.front().efa_interfaces = 9; },
        [](auto& s) { s.types.clear(); },
        [](auto& s) {
            s.types.clear();
            s.requirements = InstanceRequirements{.vcpu_min = 2};
        },
        [](auto& s) {
            s.types.clear();
            s.requirements = InstanceRequirements{.memory_mib_min = 2};
        },
        [](auto& s) { s.group.zones = {"us-east-1b"}; },
        [](auto& s) { s.zone_ids.clear(); },
        [](auto& s) { s.group.tags[tag("label/team")] = "other"; },
        [](auto& s) { s.group.tags[tag("taint/a")] = "NoSchedule"; },
        [](auto& s) { s.group.tags[tag("resources/cpu")] = "1"; },
        [](auto& s) { s.group.tags["eks:nodegroup-name"] = "web"; },
        [](auto& s) { s.launch_template->image_id = "ami-2"; },
        [](auto& s) { s.launch_template->user_data = ""; },
        [](auto& s) { s.launch_template->block_devices.front().size_gib = 21; },
        [](auto& s) { s.launch_template->efa_interfaces = 1; },
        [](auto& s) { s.launch_template.reset(); },
        [](auto& s) { s.image->name = "acme"; },
        [](auto& s) { s.image->id = "ami-3"; },
        [](auto& s) { s.image->architecture = "arm64"; },
        [](auto& s) { s.image->block_devices.clear(); },
        [](auto& s) { s.image.reset(); },
        [](auto& s) { s.nodegroup->ami_type = "CUSTOM"; },
        [](auto& s) { s.nodegroup->capacity_type = "SPOT"; },
        [](auto& s) { s.nodegroup->disk_size_gib = 0; },
        [](auto& s) { s.nodegroup->labels["tier"] = "back"; },
        [](auto& s) { s.nodegroup->labels.clear(); },
        [](auto& s) { s.nodegroup->taints.pop_back(); },
        [](auto& s) { s.nodegroup->tags[tag("resources/cpu")] = "1"; },
        [](auto& s) { s.nodegroup.reset(); },
    };
    std::set<std::string> seen;
    for (const Change& change : changes)
        EXPECT_TRUE(seen.insert(fingerprint_after(change)).second) << &change - changes;
}

TEST(AwsFingerprint, ChangesWithTheSettings) {
    const TemplateConfig settings[] = {{},
                                       {.region = "us-east-1"},
                                       {.region = "us-east-1", .mixed = MixedTemplate::first},
                                       {.region = "us-east-1", .prefix_delegation = true},
                                       {.region = "us-east-1", .max_pods = 110},
                                       {.region = "us-east-1", .max_pods = 0}};
    std::set<std::string> seen;
    for (const TemplateConfig& config : settings)
        EXPECT_TRUE(seen.insert(fingerprint_of(rich_sources(), config)).second);
}

TEST(AwsFingerprint, IgnoresOtherTypesIfTheFirstTypeIsConfigured) {
    const TemplateConfig first{.mixed = MixedTemplate::first};
    TemplateSources sources = rich_sources();
    const std::string before = fingerprint_of(sources, first);
    std::swap(sources.types[1], sources.types[2]);
    EXPECT_EQ(fingerprint_of(sources, first), before);
    std::swap(sources.types[0], sources.types[1]);
    EXPECT_NE(fingerprint_of(sources, first), before);
}

}  // namespace
}  // namespace capstan::aws
