#include "plugin_tool/call_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "commands/call_request.hpp"
#include "commands/value_text.hpp"
#include "kubernetes/objects/pod_decode.hpp"
#include "kubernetes/pod_classes.hpp"

namespace capstan::plugin_tool {
namespace {

using kubernetes::JsonCursor;
namespace json = boost::json;

std::vector<MachineOffering> decode_offers(const JsonCursor& machine) {
    std::vector<std::string> zones;
    for (const JsonCursor& zone : machine["zones"].items()) {
        std::string name(zone.name().value_or(""));
        if (std::ranges::count(zones, name) > 0)
            zone.complain("is a duplicate");
        else
            zones.push_back(std::move(name));
    }
    if (zones.empty()) zones.emplace_back();
    const std::optional<double> price = commands::decode_price(machine["price_per_hour"]);
    const std::optional<double> spot_price = commands::decode_price(machine["spot_price_per_hour"]);
    std::vector<MachineOffering> out;
    for (const std::string& zone : zones) {
        Labels labels;
        if (!zone.empty()) labels.emplace(well_known::zone_label, zone);
        out.push_back({.zone = zone, .labels = labels, .price_per_hour = price});
        if (!machine["spot"].boolean().value_or(false)) continue;
        labels.emplace(well_known::lifecycle_label, "spot");
        out.push_back({.zone = zone, .spot = true, .labels = labels, .price_per_hour = spot_price});
    }
    return out;
}

MachineType decode_machine(const JsonCursor& place) {
    autoscaler::record::refuse_unknown(
        place, {"name", "labels", "taints", "capacity", "allocatable", "zones", "spot",
                "price_per_hour", "spot_price_per_hour"});
    MachineType out{.name = std::string(place.required("name").name().value_or("")),
                    .labels = place["labels"].labels(),
                    .taints = commands::decode_taints(place["taints"]),
                    .capacity = commands::decode_resources(place["capacity"]),
                    .offerings = decode_offers(place)};
    out.labels.emplace(well_known::arch_label, "amd64");
    out.labels.emplace(well_known::os_label, "linux");
    out.labels.emplace(well_known::instance_type_label, out.name);
    out.allocatable =
        place["allocatable"] ? commands::decode_resources(place["allocatable"]) : out.capacity;
    return out;
}

/// Sorts by `name_of`. Of two values with the same name, complains about the second.
template <class T, class Name>
void sort_by_name(std::vector<std::pair<JsonCursor, T>>& values, std::string_view what,
                  Name name_of) {
    std::ranges::sort(values, {}, [&](const auto& value) { return name_of(value.second); });
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (name_of(values[i].second) == name_of(values[i - 1].second))
            values[i].first.complain("is a duplicate of " + std::string(what) + " " +
                                     in_quotes(name_of(values[i].second)));
    }
}

void decode_existing(const JsonCursor& list, GroupsRequest& out) {
    std::vector<std::pair<JsonCursor, NodeGroup>> groups;
    for (const JsonCursor& item : list.items()) {
        autoscaler::record::refuse_unknown(item,
                                           {"id", "min", "max", "target", "tags", "template"});
        groups.emplace_back(
            item,
            NodeGroup{.id = NodeGroupId(std::string(item.required("id").name().value_or("")))});
    }
    sort_by_name(groups, "group", [](const NodeGroup& group) { return group.id.value(); });
    for (auto& [place, group] : groups) {
        out.templates.push_back(place["template"] ? commands::decode_template(place["template"])
                                                  : NodeTemplate());
        out.groups.push_back(std::move(group));
    }
}

json::object labels_json(const Labels& labels) {
    json::object out;
    for (const auto& [key, value] : labels) out[key] = value;
    return out;
}

json::array taints_json(const std::vector<Taint>& taints) {
    json::array out;
    for (const Taint& taint : taints) {
        out.push_back(json::object{
            {"key", taint.key}, {"value", taint.value}, {"effect", name_of(taint.effect)}});
    }
    return out;
}

}  // namespace

engine::GroupsQuestion GroupsRequest::question(
    std::vector<engine::GroupsQuestion::Existing>& existing) const {
    existing.clear();
    for (std::size_t i = 0; i < groups.size(); ++i)
        existing.push_back({&groups[i], templates[i].name.empty() ? nullptr : &templates[i]});
    return {.pods = pods,
            .machines = machines,
            .existing = existing,
            .room = room,
            .cloud = PluginInstanceId(cloud)};
}

GroupsRequest decode_groups_request(const JsonCursor& root) {
    autoscaler::record::refuse_unknown(root, {"pods", "machines", "existing", "limits", "cloud"});
    GroupsRequest out;
    kubernetes::PodClasses classes;
    for (const JsonCursor& pod : root["pods"].items())
        classes.add(kubernetes::objects::decode_pod(pod));
    out.pods = std::move(classes).take();
    std::vector<std::pair<JsonCursor, MachineType>> machines;
    for (const JsonCursor& machine : root["machines"].items())
        machines.emplace_back(machine, decode_machine(machine));
    sort_by_name(machines, "machine", [](const MachineType& type) { return type.name; });
    for (auto& [place, machine] : machines) out.machines.push_back(std::move(machine));
    decode_existing(root["existing"], out);
    out.room = commands::decode_resources(root["limits"]);
    out.cloud = root["cloud"].name().value_or("");
    return out;
}

std::string answer_of(const engine::GroupsAnswer& answer) {
    json::array groups, left_out;
    for (const auto& [plan, because] : answer.groups) {
        groups.push_back(json::object{{"name", plan.name},
                                      {"machine_type", plan.machine_type},
                                      {"zone", plan.zone},
                                      {"spot", plan.spot},
                                      {"labels", labels_json(plan.labels)},
                                      {"taints", taints_json(plan.taints)},
                                      {"because", because}});
    }
    for (const auto& [type, because] : answer.left_out)
        left_out.push_back(json::object{{"machine_type", type}, {"because", because}});
    json::object out{{"groups", std::move(groups)}, {"left_out", std::move(left_out)}};
    if (answer.most_groups) out["max_groups"] = *answer.most_groups;
    out["explain"] = json::array(answer.sentences.begin(), answer.sentences.end());
    return commands::json_line(out);
}

}  // namespace capstan::plugin_tool
