#include "plugin_tool/call_command.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json.hpp>

#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "commands/call_request.hpp"
#include "commands/command_line.hpp"
#include "commands/value_text.hpp"
#include "config/text.hpp"
#include "kubernetes/objects/pod_decode.hpp"
#include "kubernetes/pod_classes.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;
using kubernetes::JsonCursor;

constexpr std::string_view input = "standard input";

struct KindName {
    CallKind kind;
    std::string_view name, id;
};
constexpr std::array<KindName, 6> kinds{
    {{CallKind::expander, "expander", CAPSTAN_KIND_EXPANDER},
     {CallKind::similarity, "similarity", CAPSTAN_KIND_SIMILARITY},
     {CallKind::splitter, "splitter", CAPSTAN_KIND_SPLITTER},
     {CallKind::controller, "controller", CAPSTAN_KIND_CONTROLLER},
     {CallKind::group_source, "group_source", CAPSTAN_KIND_GROUP_SOURCE},
     {CallKind::cloud, "cloud", CAPSTAN_KIND_CLOUD}}};

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

json::array taints_json(const std::vector<Taint>& taints) {
    json::array out;
    for (const Taint& taint : taints) {
        out.push_back(json::object{
            {"key", taint.key}, {"value", taint.value}, {"effect", name_of(taint.effect)}});
    }
    return out;
}

int refuse_input(std::ostream& err, std::string_view why) {
    err << why << (why.ends_with('\n') ? "" : "\n");
    return commands::exit_usage;
}

/// {"options":[0,2],"explain":["..."]}; options are indices into the request's, ascending.
json::object answer_of(const commands::ExpanderRequest& request,
                       const engine::FilterResult& narrowing) {
    std::vector<std::uint32_t> kept;
    for (const auto& option : narrowing.kept) kept.push_back(request.places[option.option]);
    std::ranges::sort(kept);
    return {{"options", json::value_from(kept)},
            {"explain", json::value_from(narrowing.sentences)}};
}

/// {"similar":true,"decided":false,"because":"..."}
json::object answer_of(const commands::SimilarityRequest&, const Similarity& similarity) {
    return {{"similar", similarity.verdict != SimilarityVerdict::differs},
            {"decided", similarity.verdict == SimilarityVerdict::decided},
            {"because", similarity.because}};
}

/// {"deltas":{"a":3,"b":0}}; every group of the request, in the order of the request.
json::object answer_of(const commands::SplitterRequest& request, const std::vector<int>& growth) {
    std::vector<std::size_t> group_at(request.places.size());
    for (std::size_t i = 0; i < request.places.size(); ++i) group_at[request.places[i]] = i;
    json::object deltas;
    for (const std::size_t i : group_at) deltas[request.groups[i].id.value()] = growth[i];
    return {{"deltas", std::move(deltas)}};
}

/// {"placement":{"a":3},"missing":0,"overflow":0}
json::object answer_of(const ControllerRequest&, const ControllerAnswer& answer) {
    json::object placement;
    for (const auto& [name, replicas] : answer.placement) placement[name] = replicas;
    return {{"placement", std::move(placement)},
            {"missing", answer.missing},
            {"overflow", answer.overflow}};
}

/// {"groups":[{"name","machine_type","zone","spot","labels":{},"taints":[],"because":"..."}],
/// "left_out":[{"machine_type","because"}],"max_groups":50,"explain":[]}
json::object answer_of(const GroupsRequest&, const engine::GroupsAnswer& answer) {
    json::array groups, left_out;
    for (const auto& [plan, because] : answer.groups) {
        groups.push_back(json::object{{"name", plan.name},
                                      {"machine_type", plan.machine_type},
                                      {"zone", plan.zone},
                                      {"spot", plan.spot},
                                      {"labels", json::value_from(plan.labels)},
                                      {"taints", taints_json(plan.taints)},
                                      {"because", because}});
    }
    for (const auto& [type, because] : answer.left_out)
        left_out.push_back(json::object{{"machine_type", type}, {"because", because}});
    json::object out{{"groups", std::move(groups)}, {"left_out", std::move(left_out)}};
    if (answer.most_groups) out["max_groups"] = *answer.most_groups;
    out["explain"] = json::array(answer.sentences.begin(), answer.sentences.end());
    return out;
}

/// Decodes the document, asks the plugin, prints the answer or the error.
template <class Ask, class Decode>
int answer_call(const Ask& ask, Decode decode, const json::value& document, std::ostream& out,
                std::ostream& err) {
    kubernetes::JsonProblems problems(document);
    const auto request = decode(problems.root());
    if (!problems.empty())
        return refuse_input(err, autoscaler::record::problems_text(problems, input));
    const auto answered = ask(request);
    out << commands::json_line(answered ? answer_of(request, *answered)
                                        : json::object{{"error", answered.error().message}})
        << '\n';
    return answered ? commands::exit_ok : commands::exit_failed;
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

std::optional<CallKind> find_call_kind(std::string_view kind) {
    for (const KindName& known : kinds) {
        if (kind == known.name || kind == known.id) return known.kind;
    }
    return std::nullopt;
}

std::string_view kind_id_of(CallKind kind) { return kinds[static_cast<std::size_t>(kind)].id; }

std::string unknown_call_kind(std::string_view kind) {
    std::vector<std::string> names;
    std::string listed;
    for (const KindName& known : kinds) {
        listed += (names.empty() ? "" : ", ") + std::string(known.name);
        names.emplace_back(known.name);
    }
    return "kind " + capstan::in_quotes(kind) + " cannot be called; kinds are " + listed +
           config::suggestion(kind, names);
}

int call(const CallArguments& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
    const Result<std::string> text = autoscaler::record::read_all(in);
    if (!text) return refuse_input(err, std::string(input) + ": " + text.error().message);
    const auto document = autoscaler::record::parse_json(*text, input);
    if (!document) return refuse_input(err, document.error().message);
    const auto answer = [&](const auto& ask, auto decode) {
        return answer_call(ask, decode, *document, out, err);
    };
    switch (arguments.kind) {
        case CallKind::expander:
            return answer(
                [&](const commands::ExpanderRequest& request) -> Result<engine::FilterResult> {
                    // An expander is never asked to choose among zero options.
                    if (!request.question.options.empty()) return arguments.expander(request);
                    return engine::FilterResult{{}, {"there is no option to choose from"}};
                },
                commands::decode_expander_request);
        case CallKind::similarity:
            return answer(arguments.similarity, commands::decode_similarity_request);
        case CallKind::splitter:
            return answer(arguments.splitter, commands::decode_splitter_request);
        case CallKind::group_source: return answer(arguments.group_source, decode_groups_request);
        case CallKind::controller:
            return answer(arguments.controller, [&](const JsonCursor& root) {
                return decode_controller_request(root, *document);
            });
        case CallKind::cloud: break;  // reads no question
    }
    return refuse_input(err, "this kind cannot be called");
}

}  // namespace capstan::plugin_tool
