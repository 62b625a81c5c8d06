#include <algorithm>
#include <string>

#include "api/auto_scaling_xml.hpp"
#include "api/ec2_xml.hpp"
#include "api/flatten.hpp"
#include "api/launch_template_xml.hpp"
#include "fuzzing.hpp"

namespace {

using namespace capstan;

void read_groups(const aws::XmlElement& result) {
    std::vector<Result<aws::AutoScalingGroup>> read;
    for (const aws::XmlElement& member : result.items("AutoScalingGroups"))
        read.push_back(aws::read_group(member));
    const std::size_t count = read.size();
    const aws::AutoScalingGroups groups = aws::sorted_groups(std::move(read));
    fuzz::require(groups.groups.size() + groups.unreadable.size() <= count,
                  "each group comes from one member");
    for (const Error& error : groups.unreadable)
        fuzz::require(!error.message.empty(), "a group that cannot be read has a reason");
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        const aws::AutoScalingGroup& group = groups.groups[i];
        fuzz::require(!group.name.empty() && group.min >= 0 && group.max >= 0 && group.desired >= 0,
                      "a group has a name and sizes");
        fuzz::require(i == 0 || groups.groups[i - 1].name < group.name, "names are in order");
        for (const aws::AsgInstance& instance : group.instances)
            fuzz::require(!instance.id.empty(), "an instance has an id");
    }
}

void read_activities(const aws::XmlElement& result) {
    for (const aws::XmlElement& member : result.items("Activities")) {
        try {
            (void)aws::read_activity(member);
        } catch (const Failure& failure) {
            fuzz::require(!failure.error().message.empty(), "a refusal has a reason");
        }
    }
}

void read_types(const aws::XmlElement& result) {
    for (const aws::InstanceType& type : aws::instance_types_of(result)) {
        fuzz::require(!type.name.empty() && type.vcpus > 0 && type.memory_mib > 0,
                      "a type has processors and memory");
        fuzz::require(type.instance_storage_gib >= 0 && type.neuron_cores >= 0 &&
                          type.network_interfaces >= 0,
                      "no amount is negative");
    }
}

void read_templates(const aws::XmlElement& result) {
    for (const aws::XmlElement& item : result.items("launchTemplateVersionSet")) {
        try {
            (void)aws::read_launch_template_version(item);
        } catch (const Failure& failure) {
            fuzz::require(!failure.error().message.empty(), "a refusal has a reason");
        }
    }
    for (const auto& [name, value] : aws::flatten(result)) {
        fuzz::require(!name.empty() && !name.starts_with('.') && !name.ends_with('.'),
                      "a parameter has a name");
        fuzz::require(!value.empty() || name.ends_with("NoDevice"), "a parameter has a value");
    }
}

void read_images(const aws::XmlElement& result) {
    try {
        (void)aws::images_of(result);
    } catch (const Failure& failure) {
        fuzz::require(!failure.error().message.empty(), "a refusal has a reason");
    }
}

struct AnswerKind {
    const char* action;
    void (*read)(const aws::XmlElement&);
};
constexpr AnswerKind answer_kinds[]{
    {"DescribeAutoScalingGroups", &read_groups},
    {"DescribeScalingActivities", &read_activities},
    {"DescribeInstanceTypes", &read_types},
    {"DescribeLaunchTemplateVersions", &read_templates},
    {"DescribeImages", &read_images},
};

}  // namespace

/// The first byte selects the action that the rest answers: '0' is the first of `answer_kinds`.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const AnswerKind& kind = answer_kinds[data[0] % 16 % std::size(answer_kinds)];
    const auto reply =
        aws::XmlReply::parse(std::string(fuzz::text_of(data + 1, size - 1)), kind.action);
    if (!reply) {
        fuzz::require(!reply.error().message.empty(), "a refusal has a reason");
        return 0;
    }
    kind.read(reply->result());
    return 0;
}
