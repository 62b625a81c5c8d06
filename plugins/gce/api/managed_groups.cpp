#include "managed_groups.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <capstan/pages.hpp>

#include "json_fields.hpp"
#include "managed_groups_json.hpp"
#include "request_id.hpp"

namespace capstan::gce {
namespace {

constexpr const char* page_size = "500";

/// The fields of a group that managed_groups_json reads.
constexpr const char* group_fields =
    "id,selfLink,baseInstanceName,instanceTemplate,versions(instanceTemplate),targetSize,"
    "targetSuspendedSize,targetStoppedSize,currentActions,status(isStable,autoscaler,stateful("
    "hasStatefulConfig)),statefulPolicy,distributionPolicy,updatePolicy(type,replacementMethod,"
    "instanceRedistributionType),instanceFlexibilityPolicy";
constexpr const char* managed_instance_fields =
    "nextPageToken,managedInstances(instance,id,currentAction,instanceStatus,lastAttempt,version("
    "instanceTemplate),propertiesFromFlexibilityPolicy)";
/// Without metadata, which has a machine's whole configuration.
constexpr const char* instance_fields =
    "nextPageToken,items(selfLink,id,status,machineType,creationTimestamp,scheduling(preemptible,"
    "provisioningModel))";

/// The method's id: "compute.regionInstanceGroupManagers.resize" for a regional group.
std::string method_of(const ResourceLink& group, const char* verb) {
    const bool is_regional = group.place.scope == Scope::region;
    return std::string(is_regional ? "compute.regionInstanceGroupManagers."
                                   : "compute.instanceGroupManagers.") +
           verb;
}

GceRequest paged_request(GceRequest request, const char* fields, std::string token) {
    request.query.emplace_back("maxResults", page_size);
    request.query.emplace_back("fields", fields);
    if (!token.empty()) request.query.emplace_back("pageToken", std::move(token));
    request.repeatable = Repeatable::yes;
    return request;
}

/// Parses a page; an error gets the method's id.
template <class T, class Read>
Page<T> page_of(const std::string& action, const Json& answer, Read read) {
    try {
        return {read(answer), next_page_token(answer)};
    } catch (const Failure& failure) {
        throw Failure(within(action, failure.error()));
    }
}

Task<Page<ManagedInstance>> read_instances_page(GceClient& client, ResourceLink group,
                                                std::string token) {
    const std::string action = method_of(group, "listManagedInstances");
    const Json answer = co_await client.call(
        paged_request(GceRequest(action, "POST", group.path() + "/listManagedInstances"),
                      managed_instance_fields, std::move(token)));
    co_return page_of<ManagedInstance>(action, answer, &read_managed_instances);
}

Task<Page<ListedInstance>> read_zone_page(GceClient& client, std::string path, std::string token) {
    const std::string action = "compute.instances.list";
    const Json answer = co_await client.call(
        paged_request(GceRequest(action, "GET", path), instance_fields, std::move(token)));
    co_return page_of<ListedInstance>(action, answer, &read_listed_instances);
}

Task<Operation> change(GceClient& client, GceRequest request,
                       Repeatable repeatable = Repeatable::yes) {
    const std::string action = request.action;
    request.repeatable = repeatable;
    const Json answer = co_await client.call(std::move(request));
    Result<Operation> out = read_operation(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

/// Adds the groups of a page to `out`. The items of the returned Page are placeholders.
Task<Page<char>> read_groups_page(GceClient& client, ManagedGroups& out, std::string path,
                                  std::string token) {
    const std::string action = "compute.instanceGroupManagers.aggregatedList";
    const std::string fields =
        "nextPageToken,unreachables,items/*/warning(code,message),"
        "items/*/instanceGroupManagers(" +
        std::string(group_fields) + ")";
    const Json answer = co_await client.call(
        paged_request(GceRequest(action, "GET", path), fields.c_str(), std::move(token)));
    const auto read = [&out](const Json& page) {
        read_aggregated_groups(page, out);
        return std::vector<char>();
    };
    co_return page_of<char>(action, answer, read);
}

Json links_json(const std::vector<ResourceLink>& instances) {
    std::vector<Json> out;
    for (const ResourceLink& instance : instances) out.emplace_back(instance.path());
    return Json::array(std::move(out));
}

}  // namespace

Task<ManagedGroups> ManagedGroupsApi::list_all(std::string project) {
    ManagedGroups out;
    const std::string path =
        "projects/" + percent_encode(project) + "/aggregated/instanceGroupManagers";
    const auto read = [this, &out, &path](std::string token) {
        return read_groups_page(client_, out, path, std::move(token));
    };
    co_await read_pages(read);
    std::sort(out.groups.begin(), out.groups.end(),
              [](const ManagedGroup& a, const ManagedGroup& b) { return a.link < b.link; });
    co_return std::move(out);
}

Task<ManagedGroup> ManagedGroupsApi::get(ResourceLink group) {
    const std::string action = method_of(group, "get");
    GceRequest request(action, "GET", group.path());
    request.query.emplace_back("fields", group_fields);
    const Json answer = co_await client_.call(std::move(request));
    Result<ManagedGroup> out = read_managed_group(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

Task<void> ManagedGroupsApi::probe(ResourceLink group) {
    GceRequest request(method_of(group, "get"), "GET", group.path());
    request.query.emplace_back("fields", "id");
    request.repeatable = Repeatable::never;
    std::ignore = co_await client_.call(std::move(request));
}

Task<std::vector<ManagedInstance>> ManagedGroupsApi::list_instances(ResourceLink group) {
    const auto read = [this, &group](std::string token) {
        return read_instances_page(client_, group, std::move(token));
    };
    co_return co_await read_pages(read);
}

Task<std::vector<ListedInstance>> ManagedGroupsApi::list_zone(std::string project,
                                                              std::string zone) {
    const std::string path =
        "projects/" + percent_encode(project) + "/zones/" + percent_encode(zone) + "/instances";
    const auto read = [this, &path](std::string token) {
        return read_zone_page(client_, path, std::move(token));
    };
    co_return co_await read_pages(read);
}

Task<Operation> ManagedGroupsApi::create_instances(const ResourceLink& group,
                                                   std::vector<std::string> names) {
    std::vector<Json> instances;
    for (std::string& name : names)
        instances.push_back(Json::object({{"name", Json(std::move(name))}}));
    GceRequest request(method_of(group, "createInstances"), "POST",
                       group.path() + "/createInstances");
    request.query.emplace_back("requestId", make_request_id(host_));
    request.body = Json::object({{"instances", Json::array(std::move(instances))}});
    return change(client_, std::move(request));
}

Task<Operation> ManagedGroupsApi::delete_instances(const ResourceLink& group,
                                                   const std::vector<ResourceLink>& instances) {
    GceRequest request(method_of(group, "deleteInstances"), "POST",
                       group.path() + "/deleteInstances");
    request.query.emplace_back("requestId", make_request_id(host_));
    request.body = Json::object(
        {{"instances", links_json(instances)}, {"skipInstancesOnValidationError", Json(true)}});
    return change(client_, std::move(request));
}

Task<Operation> ManagedGroupsApi::recreate_instances(const ResourceLink& group,
                                                     const std::vector<ResourceLink>& instances) {
    GceRequest request(method_of(group, "recreateInstances"), "POST",
                       group.path() + "/recreateInstances");
    request.query.emplace_back("requestId", make_request_id(host_));
    request.body = Json::object({{"instances", links_json(instances)}});
    return change(client_, std::move(request));
}

Task<Operation> ManagedGroupsApi::resize(const ResourceLink& group, int size) {
    GceRequest request(method_of(group, "resize"), "POST", group.path() + "/resize");
    request.query.emplace_back("requestId", make_request_id(host_));
    request.query.emplace_back("size", std::to_string(size));
    return change(client_, std::move(request), Repeatable::never);
}

Task<Operation> ManagedGroupsApi::insert(const NewGroup& group) {
    ResourceLink collection = group.link;
    collection.name.clear();
    GceRequest request(method_of(group.link, "insert"), "POST", collection.path());
    request.query.emplace_back("requestId", make_request_id(host_));
    std::vector<Json::Member> body{
        {"name", Json(group.link.name)},
        {"baseInstanceName", Json(group.base_name)},
        {"instanceTemplate", Json(group.template_link)},
        {"targetSize", Json(0)},
        {"updatePolicy", Json::object({{"type", Json("OPPORTUNISTIC")}})}};
    if (!group.description.empty()) body.emplace_back("description", Json(group.description));
    std::vector<Json> ports;
    for (const auto& [name, port] : group.named_ports)
        ports.push_back(Json::object({{"name", Json(name)}, {"port", Json::number(port)}}));
    if (!ports.empty()) body.emplace_back("namedPorts", Json::array(std::move(ports)));
    request.body = Json::object(std::move(body));
    return change(client_, std::move(request));
}

Task<Operation> ManagedGroupsApi::remove(const ResourceLink& group) {
    GceRequest request(method_of(group, "delete"), "DELETE", group.path());
    request.query.emplace_back("requestId", make_request_id(host_));
    return change(client_, std::move(request));
}

}  // namespace capstan::gce
