#include "commands/call_request.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "kubernetes/objects/pod_decode.hpp"
#include "kubernetes/pod_classes.hpp"

namespace capstan::commands {
namespace {

using kubernetes::JsonCursor;

std::optional<int> count(const JsonCursor& place) {
    const auto number = place.integer(0, std::numeric_limits<std::int32_t>::max());
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string name(const JsonCursor& place) { return std::string(place.name().value_or("")); }

/// The text at `key`, or the value of the label if there is none.
std::string text_or_label(const JsonCursor& node, std::string_view key, const Labels& labels,
                          std::string_view label) {
    if (const auto text = node[key].text()) return std::string(*text);
    const auto at = labels.find(label);
    return at != labels.end() ? at->second : std::string();
}

}  // namespace

Resources decode_resources(const JsonCursor& place, bool may_be_negative) {
    Resources out;
    for (const JsonCursor& member : place.members()) {
        const auto quantity = member.quantity();
        if (!quantity) continue;
        if (quantity->sign() < 0 && !may_be_negative) {
            member.complain("is negative (" + to_string(*quantity) + ")");
        } else {
            out.set(member.key(), amount_of(member.key(), *quantity));
        }
    }
    return out;
}

std::vector<Taint> decode_taints(const JsonCursor& place) {
    std::vector<Taint> out;
    for (const JsonCursor& item : place.items()) {
        autoscaler::record::refuse_unknown(item, {"key", "value", "effect", "timeAdded"});
        Taint taint{.key = name(item.required("key")),
                    .value = std::string(item["value"].text().value_or(""))};
        const JsonCursor effect = item.required("effect");
        const auto known = find_effect(effect.text().value_or(""));
        if (effect && !known) effect.expects("NoSchedule, PreferNoSchedule or NoExecute");
        taint.effect = known.value_or(Effect::no_schedule);
        out.push_back(std::move(taint));
    }
    return out;
}

std::optional<double> decode_price(const JsonCursor& place) {
    const std::optional<double> price = place.number();
    if (price && *price < 0) place.expects("a price of 0 or more");
    return price;
}

NodeGroup decode_group(const JsonCursor& place) {
    autoscaler::record::refuse_unknown(place, {"id", "min", "max", "target", "tags"});
    NodeGroup out{.id = NodeGroupId(name(place.required("id")))};
    out.min = count(place["min"]);
    out.max = count(place["max"]);
    out.target = count(place["target"]);
    out.tags = place["tags"].labels();
    return out;
}

NodeTemplate decode_template(const JsonCursor& place) {
    autoscaler::record::refuse_unknown(
        place, {"name", "labels", "annotations", "taints", "capacity", "allocatable", "free",
                "machine_type", "zone", "arch", "os"});
    NodeTemplate out{.name = name(place.required("name"))};
    out.labels = place["labels"].labels();
    out.annotations = place["annotations"].labels();
    out.taints = decode_taints(place["taints"]);
    out.capacity = decode_resources(place["capacity"]);
    out.allocatable = place["allocatable"] ? decode_resources(place["allocatable"]) : out.capacity;
    out.free = place["free"] ? decode_resources(place["free"], true) : out.allocatable;
    out.machine_type =
        text_or_label(place, "machine_type", out.labels, well_known::instance_type_label);
    out.zone = text_or_label(place, "zone", out.labels, well_known::zone_label);
    out.arch = text_or_label(place, "arch", out.labels, well_known::arch_label);
    out.os = text_or_label(place, "os", out.labels, well_known::os_label);
    return out;
}

namespace {

using kubernetes::JsonCursor;

/// The largest count that the plugin ABI can carry.
constexpr std::int64_t count_max = std::numeric_limits<std::int32_t>::max();

/// The request's pods as equivalence groups, and the group of each pod.
struct Pods {
    std::vector<PodEquivalenceGroup> classes;
    std::vector<std::uint32_t> class_of;
};

Pods decode_pods(const JsonCursor& list) {
    kubernetes::PodClasses classes;
    Pods out;
    for (const JsonCursor& pod : list.items())
        out.class_of.push_back(classes.add(kubernetes::objects::decode_pod(pod)));
    out.classes = std::move(classes).take();
    return out;
}

/// Converts indices of pods to shares of their equivalence groups, sorted by group.
std::vector<PodShare> decode_shares(const JsonCursor& list, const Pods& pods) {
    std::set<std::int64_t> seen;
    std::map<std::uint32_t, std::uint32_t> counts;
    for (const JsonCursor& item : list.items()) {
        if (pods.class_of.empty()) {
            item.complain("names a pod, but the request has no pods");
            continue;
        }
        const auto index = item.integer(0, static_cast<std::int64_t>(pods.class_of.size()) - 1);
        if (!index) continue;
        if (!seen.insert(*index).second) {
            item.complain("names pod " + std::to_string(*index) + " again");
        } else {
            ++counts[pods.class_of[static_cast<std::size_t>(*index)]];
        }
    }
    std::vector<PodShare> out;
    for (const auto& [equivalence_group, count] : counts) out.push_back({equivalence_group, count});
    return out;
}

void sum_up(ScaleUpOption& option, const std::vector<PodEquivalenceGroup>& classes) {
    for (const PodShare& share : *option.pods) {
        option.pod_count += share.count;
        option.requested += classes[share.equivalence_group].requests * share.count;
    }
}

ScaleUpOption decode_option(const JsonCursor& place, const Pods& pods) {
    autoscaler::record::refuse_unknown(
        place, {"group", "nodes", "template", "pods", "similar", "price_per_hour"});
    ScaleUpOption out;
    out.group = decode_group(place.required("group"));
    // Zero nodes would be no growth, but upstream's own tests ask about it.
    out.nodes = static_cast<int>(place.required("nodes").integer(0, count_max).value_or(0));
    if (const JsonCursor node = place["template"]) {
        out.node = std::make_shared<const NodeTemplate>(decode_template(node));
    }
    out.pods = share(decode_shares(place["pods"], pods));
    for (const JsonCursor& group : place["similar"].items()) {
        out.similar.emplace_back(group.name().value_or(""));
    }
    out.price_per_hour = decode_price(place["price_per_hour"]);
    sum_up(out, pods.classes);
    return out;
}

/// Decodes a list of groups, or of values with a group each, and sorts it by the ids of the groups,
/// which is the order that hooks get groups in. `places`: for each value its index in the list.
/// Complains about the second of two groups with one id.
template <class Decode, class IdOf, class IdPlace>
auto decode_by_id(const JsonCursor& list, std::vector<std::uint32_t>& places, Decode decode,
                  IdOf id_of, IdPlace id_place) {
    const std::vector<JsonCursor> items = list.items();
    std::vector<decltype(decode(list))> values, out;
    for (const JsonCursor& item : items) values.push_back(decode(item));
    std::set<NodeGroupId> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const NodeGroupId& id = id_of(values[i]);
        if (id.empty() || seen.insert(id).second) continue;
        id_place(items[i]).complain("is a duplicate: " + capstan::in_quotes(id.value()));
    }
    places.resize(values.size());
    std::iota(places.begin(), places.end(), 0u);
    std::ranges::stable_sort(
        places, {}, [&](std::uint32_t i) -> const NodeGroupId& { return id_of(values[i]); });
    for (const std::uint32_t i : places) out.push_back(std::move(values[i]));
    return out;
}

/// Fills in min, target and max, which a splitter is promised.
NodeGroup decode_sized_group(const JsonCursor& place) {
    NodeGroup out = decode_group(place);
    out.min = out.min.value_or(0);
    out.target = out.target.value_or(0);
    out.max = out.max.value_or(static_cast<int>(count_max));
    return out;
}

}  // namespace

ExpanderRequest decode_expander_request(const JsonCursor& root) {
    autoscaler::record::refuse_unknown(root, {"seed", "cluster_nodes", "options", "pods"});
    ExpanderRequest out;
    Pods pods = decode_pods(root["pods"]);
    out.question.options = decode_by_id(
        root["options"], out.places,
        [&](const JsonCursor& place) { return decode_option(place, pods); },
        [](const ScaleUpOption& option) -> const NodeGroupId& { return option.group.id; },
        [](const JsonCursor& place) { return place["group"]["id"]; });
    out.question.pods = std::move(pods.classes);
    out.question.cluster_nodes =
        static_cast<std::uint32_t>(root["cluster_nodes"].integer(0, count_max).value_or(0));
    out.seed = root["seed"].natural().value_or(0);
    return out;
}

SimilarityRequest decode_similarity_request(const JsonCursor& root) {
    autoscaler::record::refuse_unknown(root, {"a", "b"});
    return {decode_template(root.required("a")), decode_template(root.required("b"))};
}

SplitterRequest decode_splitter_request(const JsonCursor& root) {
    autoscaler::record::refuse_unknown(root, {"nodes", "groups"});
    SplitterRequest out;
    out.nodes = static_cast<int>(root.required("nodes").integer(0, count_max).value_or(0));
    out.groups = decode_by_id(
        root["groups"], out.places, decode_sized_group,
        [](const NodeGroup& group) -> const NodeGroupId& { return group.id; },
        [](const JsonCursor& place) { return place["id"]; });
    return out;
}

}  // namespace capstan::commands
