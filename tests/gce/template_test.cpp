// Groups and templates of the shipped plugin, from `capstan plugin call`.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class GceTemplates : public GceDaemon {
protected:
    /// The response of the plugin, as JSON.
    static json::value describe(const std::shared_ptr<GceServer>& gce) {
        const commands::Folder folder;
        const clouds::Part part = part_of(gce, {});
        const std::string settings = folder.write("gce.toml", clouds::settings_of(part));
        const commands::CommandResult ran =
            commands::capstan("plugin call '" + commands::shipped("gce.so").string() +
                              "' --kind cloud --live -o json --settings '" + settings + "'");
        EXPECT_EQ(ran.code, 0) << ran.err;
        return json::parse(ran.out);
    }
};

const json::object& group_in(const json::value& response, std::string_view name) {
    static const json::object none;
    for (const json::value& group : response.at("groups").as_array())
        if (group.at("id").as_string().ends_with("/shop-" + std::string(name)))
            return group.as_object();
    ADD_FAILURE() << "no group " << name;
    return none;
}

/// The value at `path`, a JSON pointer within the template of the group; "absent" without one.
std::string in_template(const json::value& response, std::string_view group,
                        const std::string& path) {
    boost::system::error_code absent;
    const json::value* const node = group_in(response, group).if_contains("template");
    const json::value* const found = node == nullptr ? nullptr : node->find_pointer(path, absent);
    if (found == nullptr) return "absent";
    return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

/// One group of each kind.
ServerSetup every_kind() {
    const json::array one_t4{
        json::object{{"acceleratorType", "nvidia-tesla-t4"}, {"acceleratorCount", 1}}};
    return {
        .groups = {
            {.name = "plain"},
            {.name = "custom", .type = "n2-custom-4-8192"},
            {.name = "ubuntu",
             .type = "e2-standard-4",
             .variables = {{"os_distribution", "ubuntu"}},
             .image = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"},
            {.name = "gpu", .type = "n1-standard-4", .properties = {{"guestAccelerators", one_t4}}},
            {.name = "bundled", .type = "a2-highgpu-2g"},
            {.name = "arm",
             .place = "us-central1-b",
             .type = "t2a-standard-4",
             .variables = {{"arch", "arm64"}},
             .image = "projects/cos-cloud/global/images/family/cos-arm64-stable"},
            {.name = "spot", .spot = true},
            {.name = "marked",
             .labels = {{"team", "a"}},
             .taints = "dedicated=web:NoSchedule",
             .variables = {{"extended_resources", "example.com/disk=2"}}},
            {.name = "bare", .properties = {{"metadata", json::object{}}}},
            {.name = "regional", .place = region, .shape = "ANY"}}};
}

/// Amounts by the formulas of upstream's provider: memory without the kernel's reserve in that
/// distribution, allocatable without kube-reserved and the eviction threshold.
TEST_F(GceTemplates, AreCorrectForEveryKindOfGroup) {
    const auto gce = std::make_shared<GceServer>(every_kind());
    const json::value response = describe(gce);
    struct Case {
        const char *group, *path, *expected;
    };
    for (const auto& [group, path, expected] : std::vector<Case>{
             {"plain", "/machine_type", "n2-standard-2"},
             {"plain", "/capacity/cpu", "2000"},
             {"plain", "/capacity/memory", "8348409791"},
             {"plain", "/capacity/ephemeral-storage", "101136648372"},
             {"plain", "/capacity/pods", "110"},
             {"plain", "/allocatable/cpu", "1930"},
             {"plain", "/allocatable/memory", "6384426943"},
             {"plain", "/labels/kubernetes.io~1arch", "amd64"},
             {"plain", "/labels/topology.kubernetes.io~1region", "us-central1"},
             {"plain", "/labels/topology.gke.io~1zone", "us-central1-a"},
             {"custom", "/capacity/cpu", "4000"},
             {"custom", "/capacity/memory", "8348409791"},
             {"ubuntu", "/capacity/memory", "16793288573"},
             {"gpu", "/capacity/nvidia.com~1gpu", "1"},
             {"bundled", "/capacity/nvidia.com~1gpu", "2"},
             {"bundled", "/capacity/memory", "179340050432"},
             {"arm", "/labels/kubernetes.io~1arch", "arm64"},
             {"arm", "/zone", "us-central1-b"},
             {"marked", "/labels/team", "a"},
             {"marked", "/taints/0/key", "dedicated"},
             {"marked", "/taints/0/effect", "NoSchedule"},
             {"marked", "/capacity/example.com~1disk", "2"},
             {"bare", "/capacity/cpu", "2000"},
             {"regional", "/zone", "us-central1-a"},
         })
        EXPECT_EQ(in_template(response, group, path), expected) << group << " " << path;
    EXPECT_EQ(in_template(response, "spot", "/labels/cloud.google.com~1gke-spot"), "true");
    EXPECT_EQ(in_template(response, "plain", "/labels/cloud.google.com~1gke-spot"), "absent");
    EXPECT_THAT(gce->violations(), IsEmpty());
}

}  // namespace
}  // namespace capstan::gce
