#include "commands/call_nouns.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "runtime/json_reader.hpp"

namespace capstan::commands {
namespace {

using kubernetes::JsonPlace;

std::optional<int> count(const JsonPlace& place) {
    const auto number = place.integer(0, std::numeric_limits<std::int32_t>::max());
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string name(const JsonPlace& place) { return std::string(place.name().value_or("")); }

/// What stands at `key`, else what the label says.
std::string text_or_label(const JsonPlace& node, std::string_view key, const Labels& labels,
                          std::string_view label) {
    if (const auto text = node[key].text()) return std::string(*text);
    const auto at = labels.find(label);
    return at != labels.end() ? at->second : std::string();
}

}  // namespace

Resources decode_resources(const JsonPlace& place, bool may_be_negative) {
    Resources out;
    for (const JsonPlace& member : place.members()) {
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

std::vector<Taint> decode_taints(const JsonPlace& place) {
    std::vector<Taint> out;
    for (const JsonPlace& item : place.items()) {
        runtime::refuse_unknown(item, {"key", "value", "effect", "timeAdded"});
        Taint taint{.key = name(item.required("key")),
                    .value = std::string(item["value"].text().value_or(""))};
        const JsonPlace effect = item.required("effect");
        const auto known = find_effect(effect.text().value_or(""));
        if (effect && !known) effect.expects("NoSchedule, PreferNoSchedule or NoExecute");
        taint.effect = known.value_or(Effect::no_schedule);
        out.push_back(std::move(taint));
    }
    return out;
}

std::optional<double> decode_price(const JsonPlace& place) {
    const std::optional<double> price = place.number();
    if (price && *price < 0) place.expects("a price of 0 or more");
    return price;
}

NodeGroup decode_group(const JsonPlace& place) {
    runtime::refuse_unknown(place, {"id", "min", "max", "target", "tags"});
    NodeGroup out{.id = NodeGroupId(name(place.required("id")))};
    out.min = count(place["min"]);
    out.max = count(place["max"]);
    out.target = count(place["target"]);
    out.tags = place["tags"].labels();
    return out;
}

NodeTemplate decode_template(const JsonPlace& place) {
    runtime::refuse_unknown(place, {"name", "labels", "annotations", "taints", "capacity",
                                    "allocatable", "free", "machine_type", "zone", "arch", "os"});
    NodeTemplate out{.name = name(place.required("name"))};
    out.labels = place["labels"].labels();
    out.annotations = place["annotations"].labels();
    out.taints = decode_taints(place["taints"]);
    out.capacity = decode_resources(place["capacity"]);
    out.allocatable = place["allocatable"] ? decode_resources(place["allocatable"]) : out.capacity;
    out.free = place["free"] ? decode_resources(place["free"], true) : out.allocatable;
    out.machine_type =
        text_or_label(place, "machine_type", out.labels, "node.kubernetes.io/instance-type");
    out.zone = text_or_label(place, "zone", out.labels, "topology.kubernetes.io/zone");
    out.arch = text_or_label(place, "arch", out.labels, "kubernetes.io/arch");
    out.os = text_or_label(place, "os", out.labels, "kubernetes.io/os");
    return out;
}

}  // namespace capstan::commands
