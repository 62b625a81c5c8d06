#include "new_launch_template.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fields.hpp"

namespace capstan::aws {
namespace {

/// Replaces the parameter of that name. An empty value changes nothing.
void replace_parameter(Ec2Parameters& parameters, std::string_view name, const std::string& value) {
    if (value.empty()) return;
    std::erase_if(parameters, [&](const auto& one) { return one.first == name; });
    parameters.emplace_back(name, value);
}

void erase_below(Ec2Parameters& parameters, std::string_view prefix) {
    std::erase_if(parameters,
                  [&](const auto& one) { return std::string_view(one.first).starts_with(prefix); });
}

/// "TagSpecification.1.ResourceType", "TagSpecification.1.Tag.1.Key", ... Numbered from 1.
class TagSpecifications {
public:
    TagSpecifications(QueryRequest& request, std::string prefix)
        : request_(request), prefix_(std::move(prefix)) {}
    void add(const std::string& resource, const Labels& tags) {
        if (tags.empty()) return;
        const std::string name = prefix_ + "TagSpecification." + std::to_string(++count_);
        request_.set(name + ".ResourceType", resource);
        int number = 0;
        for (const auto& [key, value] : tags) {
            const std::string tag = name + ".Tag." + std::to_string(++number);
            request_.set(tag + ".Key", key).set(tag + ".Value", value);
        }
    }

private:
    QueryRequest& request_;
    std::string prefix_;
    int count_ = 0;
};

}  // namespace

LaunchTemplateParts read_parts(const XmlElement& data) {
    LaunchTemplateParts out{.parameters = flatten(data)};
    erase_below(out.parameters, "TagSpecification.");
    erase_below(out.parameters, "InstanceMarketOptions.");
    for (const XmlElement& item : data.items("tagSpecificationSet")) {
        Labels tags = read_tags(item, "tagSet", ec2_tags);
        std::erase_if(tags, [](const auto& tag) { return tag.first.starts_with("aws:"); });
        out.tags[item.text("resourceType")].merge(tags);
    }
    return out;
}

QueryRequest make_create_request(LaunchTemplateParts parts,
                                 const Ec2Api::NewLaunchTemplate& launch_template) {
    if (!launch_template.instance_type.empty())
        erase_below(parts.parameters, "InstanceRequirements.");
    replace_parameter(parts.parameters, "InstanceType", launch_template.instance_type);
    replace_parameter(parts.parameters, "UserData", launch_template.user_data);
    for (const auto& [key, value] : launch_template.instance_tags)
        parts.tags["instance"].insert_or_assign(key, value);

    QueryRequest request(Service::ec2, "CreateLaunchTemplate");
    request.set("LaunchTemplateName", launch_template.name);
    const std::string prefix = "LaunchTemplateData.";
    for (const auto& [name, value] : parts.parameters) request.set(prefix + name, value);
    TagSpecifications of_instances(request, prefix);
    for (const auto& [resource, tags] : parts.tags) of_instances.add(resource, tags);
    TagSpecifications(request, "").add("launch-template", launch_template.tags);
    return request;
}

}  // namespace capstan::aws
