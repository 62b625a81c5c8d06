#include "ec2.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "../wire/aws_client.hpp"
#include "ec2_xml.hpp"
#include "fields.hpp"
#include "flatten.hpp"
#include "launch_template_xml.hpp"
#include "new_launch_template.hpp"
#include "paged_query.hpp"

namespace capstan::aws {
namespace {

constexpr std::string_view by_parameter = "resolve:ssm:";
constexpr std::size_t ids_a_request = 100;
constexpr std::int64_t types_a_page = 100, rows_a_page = 1000;
constexpr const char* never_made = "capstan-dry-run";

QueryRequest ec2_request(const char* action) { return {Service::ec2, action}; }

/// An action that describes resources by id, and fails as a whole if one of the ids does not exist.
template <class T>
struct ByIds {
    const char* action = "";
    const char* list = "";          ///< the parameter with the ids
    const char* missing_code = "";  ///< the prefix of the error code if an id does not exist
    ReadItems<T> read = nullptr;
};
constexpr ByIds<Image> images_by_ids{"DescribeImages", "ImageId", "InvalidAMIID", &images_of};
constexpr ByIds<InstanceType> types_by_names{"DescribeInstanceTypes", "InstanceType",
                                             "InvalidInstanceType", &instance_types_of};

/// The resources that exist. A request that fails for a missing id is split into two halves.
template <class T>
Task<std::vector<T>> describe_existing(AwsClient* client, const ByIds<T>* by,
                                       std::vector<std::string> ids) {
    if (ids.empty()) co_return std::vector<T>();
    QueryRequest request = ec2_request(by->action);
    request.set_list(by->list, ids);
    Result<std::vector<T>> found =
        co_await as_result(ask_all<T>(*client, std::move(request), by->read));
    if (found || !found.error().provider_code.starts_with(by->missing_code))
        co_return std::move(found);
    if (ids.size() == 1) co_return std::vector<T>();
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
    std::vector<T> out =
        co_await describe_existing<T>(client, by, std::vector<std::string>(ids.begin(), middle));
    std::vector<T> rest =
        co_await describe_existing<T>(client, by, std::vector<std::string>(middle, ids.end()));
    std::move(rest.begin(), rest.end(), std::back_inserter(out));
    co_return out;
}

template <class T>
Task<std::vector<T>> describe_batches(AwsClient* client, const ByIds<T>* by,
                                      std::vector<std::string> ids) {
    std::vector<T> out;
    for (auto& batch : batches_of(std::move(ids), ids_a_request)) {
        std::vector<T> found = co_await describe_existing<T>(client, by, std::move(batch));
        std::move(found.begin(), found.end(), std::back_inserter(out));
    }
    co_return out;
}

QueryRequest about_version(const LaunchTemplateRef& ref) {
    QueryRequest request = ec2_request("DescribeLaunchTemplateVersions");
    // AWS refuses a request with both the id and the name.
    if (!ref.id.empty()) {
        request.set("LaunchTemplateId", ref.id);
    } else {
        request.set("LaunchTemplateName", ref.name);
    }
    request.set("LaunchTemplateVersion.1",
                ref.version.empty() ? std::string("$Default") : ref.version);
    return request;
}

/// The element of the version. Throws a Failure (`not_found`) if the answer has none.
XmlElement version_in(const XmlReply& reply, const LaunchTemplateRef& ref) {
    const std::vector<XmlElement> versions = reply.result().items("launchTemplateVersionSet");
    if (versions.empty())
        throw Failure(ErrorCode::not_found,
                      "ec2:DescribeLaunchTemplateVersions: not found: " + ref.text());
    return versions.front();
}

/// Whether the same request may succeed soon.
bool is_transient(const Error& error) {
    switch (error.code) {
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::deadline:
        case ErrorCode::busy: return true;
        default: return false;
    }
}

/// A DryRun request with the parameters that the action requires. The names in it do not exist.
QueryRequest dry_request(const std::string& action) {
    QueryRequest request(Service::ec2, action);
    request.set("DryRun", true);
    const auto set = [&](std::string name, std::string value) {
        request.set(std::move(name), std::move(value));
    };
    if (action == "DescribeLaunchTemplateVersions") {
        set("LaunchTemplateVersion.1", "$Default");
    } else if (action == "GetInstanceTypesFromInstanceRequirements") {
        set("ArchitectureType.1", "x86_64");
        set("VirtualizationType.1", "hvm");
        set("InstanceRequirements.VCpuCount.Min", "1");
        set("InstanceRequirements.MemoryMiB.Min", "1024");
    } else if (action == "CreateLaunchTemplate") {
        set("LaunchTemplateName", never_made);
        set("LaunchTemplateData.InstanceType", "t3.micro");
    } else if (action == "DeleteLaunchTemplate") {
        set("LaunchTemplateName", never_made);
    }
    return request;
}

}  // namespace

Task<LaunchTemplateData> Ec2Api::describe_launch_template_version(LaunchTemplateRef ref) {
    const XmlReply reply = co_await client_.call(about_version(ref), Repeatable::yes);
    LaunchTemplateData data = read_launch_template_version(version_in(reply, ref));
    if (!data.image_id.starts_with(by_parameter)) co_return data;
    data.image_parameter = data.image_id;
    // A request of its own: ResolveAlias needs a permission for the SSM parameter, which nothing
    // else needs. Without that permission only the image stays unknown.
    QueryRequest again = about_version(ref);
    again.set("ResolveAlias", true);
    const Result<XmlReply> resolved =
        co_await as_result(client_.call(std::move(again), Repeatable::yes));
    if (!resolved && is_transient(resolved.error())) co_return fail(resolved.error());
    if (!resolved) {
        data.image_error = resolved.error().message;
        co_return data;
    }
    const XmlElement found = version_in(*resolved, ref).child("launchTemplateData");
    if (std::string image = found.text("imageId"); !image.empty()) data.image_id = std::move(image);
    co_return data;
}

Task<std::vector<Image>> Ec2Api::describe_images(std::vector<std::string> ids) {
    // DescribeImages does not accept an SSM parameter as an id.
    std::erase_if(ids,
                  [](const std::string& id) { return id.empty() || id.starts_with(by_parameter); });
    return describe_batches<Image>(&client_, &images_by_ids, std::move(ids));
}

Task<std::vector<InstanceType>> Ec2Api::describe_instance_types(std::vector<std::string> names) {
    if (!names.empty())
        return describe_batches<InstanceType>(&client_, &types_by_names, std::move(names));
    QueryRequest request = ec2_request("DescribeInstanceTypes");
    request.set("MaxResults", types_a_page);
    return ask_all<InstanceType>(client_, std::move(request), &instance_types_of);
}

Task<std::vector<std::string>> Ec2Api::find_types(InstanceRequirements requirements,
                                                  std::string architecture,
                                                  std::string virtualization_type) {
    QueryRequest request = ec2_request("GetInstanceTypesFromInstanceRequirements");
    request.set("ArchitectureType.1", std::move(architecture));
    request.set("VirtualizationType.1", std::move(virtualization_type));
    // This action requires both minimums; requirements of groups may lack them.
    for (const std::string_view bound : {"VCpuCount.Min", "MemoryMiB.Min"}) {
        if (find_parameter(requirements.parameters, bound) == nullptr)
            requirements.parameters.emplace_back(bound, "0");
    }
    for (const auto& [name, value] : requirements.parameters)
        request.set("InstanceRequirements." + name, value);
    return ask_all<std::string>(client_, std::move(request), &type_names_of);
}

Task<std::vector<Subnet>> Ec2Api::find_subnets(Labels tags) {
    // Without a filter EC2 answers with every subnet of the account.
    if (tags.empty())
        co_return fail(ErrorCode::invalid_argument, "finding subnets needs at least one tag");
    QueryRequest request = ec2_request("DescribeSubnets");
    int number = 0;
    for (const auto& [key, value] : tags) {
        const std::string filter = "Filter." + std::to_string(++number);
        request.set(filter + ".Name", "tag:" + key).set(filter + ".Value.1", value);
    }
    request.set("MaxResults", rows_a_page);
    co_return co_await ask_all<Subnet>(client_, std::move(request), &subnets_of_answer);
}

Task<std::vector<std::pair<std::string, std::string>>> Ec2Api::describe_type_offerings() {
    QueryRequest request = ec2_request("DescribeInstanceTypeOfferings");
    request.set("LocationType", std::string("availability-zone")).set("MaxResults", rows_a_page);
    return ask_all<std::pair<std::string, std::string>>(client_, std::move(request),
                                                        &type_offerings_of);
}

Task<std::vector<InstanceAddress>> Ec2Api::describe_addresses(std::vector<std::string> ids) {
    // Without a value EC2 answers with every instance of the account.
    if (ids.empty())
        co_return fail(ErrorCode::invalid_argument,
                       "finding addresses needs at least one instance id");
    // A filter ignores ids that do not exist; with InstanceId the request would fail.
    QueryRequest request = ec2_request("DescribeInstances");
    request.set("Filter.1.Name", std::string("instance-id"));
    request.set_list("Filter.1.Value", ids).set("MaxResults", rows_a_page);
    co_return co_await ask_all<InstanceAddress>(client_, std::move(request), &addresses_of_answer);
}

Task<LaunchTemplateRef> Ec2Api::create_launch_template(NewLaunchTemplate launch_template) {
    LaunchTemplateParts parts;
    if (!launch_template.source.id.empty() || !launch_template.source.name.empty()) {
        const LaunchTemplateRef source = launch_template.source;
        const XmlReply reply = co_await client_.call(about_version(source), Repeatable::yes);
        parts = read_parts(version_in(reply, source).child("launchTemplateData"));
    }
    QueryRequest request = make_create_request(std::move(parts), launch_template);
    const XmlReply reply = co_await client_.call(std::move(request), Repeatable::no);
    const XmlElement made = reply.result().child("launchTemplate");
    co_return LaunchTemplateRef{.id = made.required_text("launchTemplateId"),
                                .name = made.text("launchTemplateName"),
                                .version = made.text("latestVersionNumber")};
}

Task<void> Ec2Api::delete_launch_template(std::string name) {
    QueryRequest request = ec2_request("DeleteLaunchTemplate");
    request.set("LaunchTemplateName", std::move(name));
    co_await client_.call(std::move(request), Repeatable::yes);
}

Task<std::optional<Error>> Ec2Api::dry_run(std::string action) {
    const Result<XmlReply> reply =
        co_await as_result(client_.call(dry_request(action), Repeatable::yes));
    if (reply || reply.error().provider_code == "DryRunOperation") co_return std::optional<Error>();
    co_return std::optional<Error>(reply.error());
}

}  // namespace capstan::aws
