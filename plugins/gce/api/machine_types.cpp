#include "machine_types.hpp"

#include <algorithm>
#include <utility>

#include <capstan/pages.hpp>
#include <capstan/sentence.hpp>

#include "json_fields.hpp"
#include "lookup_json.hpp"

namespace capstan::gce {
namespace {

constexpr std::size_t permissions_per_call = 100;

/// "amd64" of "X86_64".
std::string arch_of_compute(std::string_view word) {
    if (word == "X86_64") return "amd64";
    return word == "ARM64" ? "arm64" : "";
}

GceMachineType machine_type_of(const Json& json) {
    GceMachineType out;
    out.name = required_text_field(json, "name");
    out.vcpus = count_field(json, "guestCpus");
    out.memory_mib = find_number_field(json, "memoryMb").value_or(0);
    out.arch = arch_of_compute(text_field(json, "architecture"));
    for (const Json& accelerator : list_field(json, "accelerators"))
        out.accelerators.push_back(
            {std::string(last_part(text_field(accelerator, "guestAcceleratorType"))),
             count_field(accelerator, "guestAcceleratorCount")});
    out.bundled_local_ssds = count_field(object_field(json, "bundledLocalSsds"), "partitionCount");
    const std::string state = text_field(object_field(json, "deprecated"), "state");
    out.is_deprecated = !state.empty() && state != "ACTIVE";
    if (out.vcpus < 1 || out.memory_mib < 1)
        throw Failure(ErrorCode::unavailable,
                      "machine type " + in_quotes(out.name) + " has no guestCpus or no memoryMb");
    return out;
}

GceImage image_of(const Json& json) {
    GceImage out;
    auto link = find_link_field(json, "selfLink");
    if (!link) throw Failure(ErrorCode::unavailable, "selfLink is missing");
    out.link = *std::move(link);
    out.family = text_field(json, "family");
    out.arch = arch_of_compute(text_field(json, "architecture"));
    out.size_gb = find_number_field(json, "diskSizeGb").value_or(0);
    for (const Json& feature : list_field(json, "guestOsFeatures"))
        out.features.push_back(text_field(feature, "type"));
    return out;
}

std::vector<GceMachineType> types_of_page(const Json& answer) {
    std::vector<GceMachineType> out;
    for (const Json& entry : list_field(answer, "items")) out.push_back(machine_type_of(entry));
    return out;
}

std::vector<LookupApi::AcceleratorType> accelerators_of_page(const Json& answer) {
    std::vector<LookupApi::AcceleratorType> out;
    for (const Json& entry : list_field(answer, "items"))
        out.push_back(
            {required_text_field(entry, "name"), count_field(entry, "maximumCardsPerInstance")});
    return out;
}

/// A page of a list below `path`.
template <class T>
Task<Page<T>> read_lookup_page(GceClient& client, std::string action, std::string path,
                               std::string token, std::vector<T> (*read)(const Json&)) {
    GceRequest request(action, "GET", std::move(path));
    request.query.emplace_back("maxResults", "500");
    if (!token.empty()) request.query.emplace_back("pageToken", std::move(token));
    const Json answer = co_await client.call(std::move(request));
    try {
        Page<T> out{read(answer), next_page_token(answer)};
        co_return std::move(out);
    } catch (const Failure& failure) {
        throw Failure(within(action, failure.error()));
    }
}

std::string zonal_path(const std::string& project, const std::string& zone) {
    return "projects/" + percent_encode(project) + "/zones/" + percent_encode(zone);
}

}  // namespace

Result<GceMachineType> read_machine_type(const Json& json) {
    try {
        return machine_type_of(json);
    } catch (const Failure& failure) {
        return fail(failure.error());
    }
}

Result<GceImage> read_image(const Json& json) {
    try {
        return image_of(json);
    } catch (const Failure& failure) {
        return fail(failure.error());
    }
}

Task<GceMachineType> LookupApi::machine_type(std::string project, std::string zone,
                                             std::string name) {
    const std::string action = "compute.machineTypes.get";
    GceRequest request(action, "GET",
                       zonal_path(project, zone) + "/machineTypes/" + percent_encode(name));
    const Json answer = co_await client_.call(std::move(request));
    Result<GceMachineType> out = read_machine_type(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

Task<std::vector<GceMachineType>> LookupApi::machine_types(std::string project, std::string zone) {
    const std::string path = zonal_path(project, zone) + "/machineTypes";
    const auto read = [this, &path](std::string token) {
        return read_lookup_page<GceMachineType>(client_, "compute.machineTypes.list", path,
                                                std::move(token), &types_of_page);
    };
    co_return co_await read_pages(read);
}

Task<GceImage> LookupApi::image(std::string link) {
    const Result<ResourceLink> parsed = parse_link(link);
    if (!parsed) co_return fail(parsed.error());
    const std::string action =
        parsed->name.starts_with("family/") ? "compute.images.getFromFamily" : "compute.images.get";
    GceRequest request(action, "GET", parsed->path());
    const Json answer = co_await client_.call(std::move(request));
    Result<GceImage> out = read_image(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

Task<std::vector<std::string>> LookupApi::zones_of(std::string project, std::string region) {
    GceRequest request(
        "compute.regions.get", "GET",
        "projects/" + percent_encode(project) + "/regions/" + percent_encode(region));
    const Json answer = co_await client_.call(std::move(request));
    std::vector<std::string> out;
    for (const std::string& zone : texts_field(answer, "zones")) out.emplace_back(last_part(zone));
    std::sort(out.begin(), out.end());
    co_return std::move(out);
}

Task<std::vector<LookupApi::AcceleratorType>> LookupApi::accelerators(std::string project,
                                                                      std::string zone) {
    const std::string path = zonal_path(project, zone) + "/acceleratorTypes";
    const auto read = [this, &path](std::string token) {
        return read_lookup_page<AcceleratorType>(client_, "compute.acceleratorTypes.list", path,
                                                 std::move(token), &accelerators_of_page);
    };
    co_return co_await read_pages(read);
}

Task<std::vector<std::string>> LookupApi::test_permissions(std::string project,
                                                           std::vector<std::string> permissions) {
    std::vector<std::string> granted;
    for (std::size_t at = 0; at < permissions.size(); at += permissions_per_call) {
        std::vector<Json> asked;
        const std::size_t end = std::min(permissions.size(), at + permissions_per_call);
        for (std::size_t i = at; i < end; ++i) asked.emplace_back(permissions[i]);
        GceRequest request("cloudresourcemanager.projects.testIamPermissions", "POST",
                           "projects/" + percent_encode(project) + ":testIamPermissions");
        request.service = Service::resource_manager;
        request.repeatable = Repeatable::yes;
        request.body = Json::object({{"permissions", Json::array(std::move(asked))}});
        const Json answer = co_await client_.call(std::move(request));
        for (std::string& one : texts_field(answer, "permissions"))
            granted.push_back(std::move(one));
    }
    co_return std::move(granted);
}

}  // namespace capstan::gce
