// Groups and templates of the shipped plugin, from `capstan plugin call`.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AwsTemplates : public AwsDaemon {
protected:
    /// The response of the plugin, as JSON.
    static json::value describe(const AwsServer& aws) {
        const commands::Folder folder;
        const std::string settings = folder.write(
            "aws.toml", std::string("region = \"") + region + "\"\nendpoint_url = \"" + aws.url() +
                            "\"\ndiscovery = [\"k8s.io/cluster-autoscaler/enabled\"]\n" +
                            "credentials = { imds_endpoint = \"" + aws.url() + "\" }\n");
        const commands::CommandResult ran =
            commands::capstan("plugin call '" + commands::shipped("aws.so").string() +
                              "' --kind cloud --live -o json --settings '" + settings + "'");
        EXPECT_EQ(ran.code, 0) << ran.err;
        return json::parse(ran.out);
    }
};

const json::object& group_in(const json::value& response, std::string_view name) {
    static const json::object none;
    for (const json::value& group : response.at("groups").as_array())
        if (group.at("id").as_string().starts_with(name)) return group.as_object();
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

/// The call that creates a group: `with` in addition to the common fields.
SetupCall make_group(const char* name, json::object with) {
    with["AutoScalingGroupName"] = name;
    with["MinSize"] = 0;
    with["MaxSize"] = 10;
    with["AvailabilityZones"] = json::array({"eu-central-1b"});
    with["Tags"] = json::array(
        {json::object{{"Key", "k8s.io/cluster-autoscaler/enabled"}, {"Value", "true"}}});
    return {"autoscaling", "CreateAutoScalingGroup", std::move(with)};
}

json::object policy_with(json::object override) {
    return {{"MixedInstancesPolicy",
             json::object{
                 {"LaunchTemplate",
                  json::object{{"LaunchTemplateSpecification",
                                json::object{{"LaunchTemplateName", "plain"}, {"Version", "1"}}},
                               {"Overrides", json::array({std::move(override)})}}}}}};
}

/// One group of each kind.
ServerSetup every_kind() {
    ServerSetup setup{
        .groups = {
            {.name = "mixed", .types = {"c4.xlarge", "r4.large"}},
            {.name = "gpu", .types = {"g4dn.xlarge"}},
            {.name = "arm",
             .types = {"m6g.large"},
             .zones = {"eu-central-1c"},
             .image = "ami-0540ba4e636bf2faf"},
            {.name = "spot", .spot = true},
            {.name = "tagged",
             .labels = {{"team", "a"}},
             .tags = {{"k8s.io/cluster-autoscaler/node-template/taint/dedicated", "web:NoSchedule"},
                      {"k8s.io/cluster-autoscaler/node-template/resources/"
                       "example.com/disk",
                       "2"}}}}};
    setup.calls = {
        {"ec2",
         "CreateLaunchTemplate",
         {{"LaunchTemplateName", "plain"},
          {"LaunchTemplateData", json::object{{"ImageId", "ami-ekslinux"}}}}},
        {"autoscaling",
         "CreateLaunchConfiguration",
         {{"LaunchConfigurationName", "old"},
          {"ImageId", "ami-ekslinux"},
          {"InstanceType", "m5.xlarge"}}},
        make_group("configured", {{"LaunchConfigurationName", "old"}}),
        make_group(
            "required",
            policy_with({{"InstanceRequirements",
                          json::object{{"VCpuCount", json::object{{"Min", 4}, {"Max", 4}}},
                                       {"MemoryMiB", json::object{{"Min", 16384}}},
                                       {"AllowedInstanceTypes", json::array({"m5.*", "r5.*"})}}}})),
        make_group("weighted",
                   policy_with({{"InstanceType", "m5.large"}, {"WeightedCapacity", "2"}}))};
    return setup;
}

TEST_F(AwsTemplates, AreCorrectForEveryKindOfGroup) {
    const AwsServer aws(every_kind());
    const json::value response = describe(aws);
    struct Case {
        const char *group, *path, *expected;
    };
    for (const auto& [group, path, expected] : std::vector<Case>{
             {"mixed", "/capacity/cpu",
              "2000"},  // c4.xlarge has 4 cores and 7.5Gi, r4.large 2 cores and 15.25Gi
             {"mixed", "/capacity/memory", "8053063680"},
             {"gpu", "/capacity/nvidia.com~1gpu", "1"},
             {"gpu", "/capacity/cpu", "4000"},
             {"arm", "/labels/kubernetes.io~1arch", "arm64"},
             {"arm", "/zone", "eu-central-1c"},
             {"arm", "/labels/topology.kubernetes.io~1region", "eu-central-1"},
             {"tagged", "/labels/team", "a"},
             {"tagged", "/taints/0/key", "dedicated"},
             {"tagged", "/taints/0/effect", "NoSchedule"},
             {"tagged", "/capacity/example.com~1disk", "2"},
             {"configured", "/machine_type", "m5.xlarge"},
             {"configured", "/capacity/pods", "58"},
             {"required", "/capacity/cpu", "4000"},
             {"required", "/capacity/memory", "17179869184"},
         })
        EXPECT_EQ(in_template(response, group, path), expected) << group << " " << path;
    EXPECT_EQ(json::serialize(group_in(response, "spot").at("spot")), "true");
    EXPECT_EQ(json::serialize(group_in(response, "mixed").at("spot")), "false");
    EXPECT_THAT(json::serialize(response.at("groups")), Not(HasSubstr("weighted")))
        << "its desired capacity is not a number of instances";
    EXPECT_THAT(aws.violations(), IsEmpty());
}

}  // namespace
}  // namespace capstan::aws
