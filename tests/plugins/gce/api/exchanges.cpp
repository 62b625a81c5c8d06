// Without arguments: prints each request of the API's functions as JSON. With pairs KIND FILE as
// arguments: prints the number of items that were parsed in each JSON document, or the error.
#include <fstream>
#include <iostream>
#include <iterator>

#include "api/instance_template.hpp"
#include "api/lookup_json.hpp"
#include "api/machine_types.hpp"
#include "api/managed_groups.hpp"
#include "api/managed_groups_json.hpp"
#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

/// The result does not matter: no resource exists.
template <class T>
void make(ScriptedGoogle& google, Task<T> task) {
    static_cast<void>(google.run(std::move(task)));
}

void make_all(ScriptedGoogle& google) {
    ManagedGroupsApi groups(google.host().host(), google.client());
    InstanceTemplatesApi templates(google.host().host(), google.client());
    LookupApi lookup(google.client());
    make(google, groups.list_all("shop-prod"));
    make(google, groups.list_zone("shop-prod", "us-central1-a"));
    const ResourceLink instance{"shop-prod", {Scope::zone, "us-central1-a"}, "instances", "web-a"};
    for (const Place& place :
         {Place{Scope::zone, "us-central1-a"}, Place{Scope::region, "us-central1"}}) {
        const ResourceLink group{"shop-prod", place, "instanceGroupManagers", "web"};
        make(google, groups.get(group));
        make(google, groups.list_instances(group));
        make(google, groups.create_instances(group, {"web-a", "web-b"}));
        make(google, groups.delete_instances(group, {instance}));
        make(google, groups.recreate_instances(group, {instance}));
        make(google, groups.resize(group, 3));
        make(google, groups.insert({.link = group,
                                    .template_link = "global/instanceTemplates/t",
                                    .base_name = "web",
                                    .description = "made",
                                    .named_ports = {{"http", "80"}}}));
        make(google, groups.remove(group));
    }
    for (const Place& place : {Place{}, Place{Scope::region, "us-central1"}}) {
        const ResourceLink link{"shop-prod", place, "instanceTemplates", "t"};
        make(google, templates.get(link));
        make(google,
             templates.insert(link, Json::object({{"machineType", Json("e2-small")}}), "made"));
        make(google, templates.remove(link));
    }
    make(google, lookup.machine_type("shop-prod", "us-central1-a", "n2-standard-4"));
    make(google, lookup.machine_types("shop-prod", "us-central1-a"));
    make(google, lookup.image("projects/cos-cloud/global/images/family/cos-stable"));
    make(google, lookup.image("projects/cos-cloud/global/images/cos-121"));
    make(google, lookup.zones_of("shop-prod", "us-central1"));
    make(google, lookup.accelerators("shop-prod", "us-central1-a"));
    make(google, lookup.test_permissions("shop-prod", {"compute.instances.list"}));
    for (const Place& place :
         {Place{}, Place{Scope::region, "us-central1"}, Place{Scope::zone, "us-central1-a"}}) {
        Operation operation{.link = {"shop-prod", place, "operations", "operation-1"}};
        make(google, await_operation(google.host().host(), google.client(), operation,
                                     std::chrono::seconds(1)));
    }
}

void print_requests() {
    ScriptedGoogle google;
    make_all(google);
    for (const HttpRequest& request : google.host().http().requests()) {
        std::cout << to_string(Json::object({{"method", Json(request.method)},
                                             {"url", Json(request.url)},
                                             {"body", Json(request.body)}}))
                  << '\n';
    }
}

template <class T>
Json result_json(const Result<T>& read, std::size_t count) {
    if (!read) return Json::object({{"error", Json(read.error().message)}});
    return Json::object({{"count", Json(std::uint64_t{count})}});
}

/// The number of parsed items, or the error.
Json read_document(const std::string& kind, const Json& json) {
    try {
        if (kind == "aggregated") {
            ManagedGroups out;
            read_aggregated_groups(json, out);
            if (!out.broken.empty()) throw Failure(out.broken.front());
            return Json::object({{"count", Json(std::uint64_t{out.groups.size()})}});
        }
        if (kind == "managed_instances")
            return Json::object(
                {{"count", Json(std::uint64_t{read_managed_instances(json).size()})}});
        if (kind == "instances")
            return Json::object(
                {{"count", Json(std::uint64_t{read_listed_instances(json).size()})}});
        if (kind == "group") return result_json(read_managed_group(json), 1);
        if (kind == "template") return result_json(read_instance_template(json), 1);
        if (kind == "operation") return result_json(read_operation(json), 1);
        if (kind == "machine_type") return result_json(read_machine_type(json), 1);
        if (kind == "image") return result_json(read_image(json), 1);
    } catch (const Failure& failure) {
        return Json::object({{"error", Json(failure.error().message)}});
    }
    return Json::object({{"error", Json("there is no kind " + kind)}});
}

void print_reading(const std::string& kind, const std::string& path) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const Result<Json> json = parse_json(text);
    std::cout << to_string(json ? read_document(kind, *json)
                                : Json::object({{"error", Json(json.error().message)}}))
              << '\n';
}

}  // namespace
}  // namespace capstan::gce

int main(int count, char** arguments) {
    if (count == 1) capstan::gce::print_requests();
    for (int i = 1; i + 1 < count; i += 2)
        capstan::gce::print_reading(arguments[i], arguments[i + 1]);
    return 0;
}
