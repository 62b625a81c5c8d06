#include "commands/call_request.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include <capstan/sentence.hpp>

#include "commands/call_nouns.hpp"
#include "kubernetes/pod_classes.hpp"
#include "kubernetes/pod_decode.hpp"
#include "runtime/json_reader.hpp"

namespace capstan::commands {
namespace {

using kubernetes::JsonPlace;

/// The most a count may be on either side of the boundary.
constexpr std::int64_t count_max = std::numeric_limits<std::int32_t>::max();

/// The request's pods as classes, and to which class each of them went.
struct Pods {
    std::vector<PodEquivalenceGroup> classes;
    std::vector<std::uint32_t> class_of;
};

Pods decode_pods(const JsonPlace& list) {
    kubernetes::PodClasses classes;
    Pods out;
    for (const JsonPlace& pod : list.items())
        out.class_of.push_back(classes.add(kubernetes::decode_pod(pod)));
    out.classes = std::move(classes).take();
    return out;
}

/// Indices of pods as shares of their classes, by class.
std::vector<PodShare> decode_shares(const JsonPlace& list, const Pods& pods) {
    std::set<std::int64_t> seen;
    std::map<std::uint32_t, std::uint32_t> counts;
    for (const JsonPlace& item : list.items()) {
        if (pods.class_of.empty()) {
            item.complain("names a pod, but the request has none");
            continue;
        }
        const auto index = item.integer(0, static_cast<std::int64_t>(pods.class_of.size()) - 1);
        if (!index) continue;
        if (!seen.insert(*index).second) {
            item.complain("names pod " + std::to_string(*index) + " a second time");
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

ScaleUpOption decode_option(const JsonPlace& place, const Pods& pods) {
    runtime::refuse_unknown(place,
                            {"group", "nodes", "template", "pods", "similar", "price_per_hour"});
    ScaleUpOption out;
    out.group = decode_group(place.required("group"));
    // None at all is no growth, but upstream's own tests ask about it.
    out.nodes = static_cast<int>(place.required("nodes").integer(0, count_max).value_or(0));
    if (const JsonPlace node = place["template"]) {
        out.node = std::make_shared<const NodeTemplate>(decode_template(node));
    }
    out.pods = share(decode_shares(place["pods"], pods));
    for (const JsonPlace& group : place["similar"].items()) {
        out.similar.emplace_back(group.name().value_or(""));
    }
    out.price_per_hour = decode_price(place["price_per_hour"]);
    sum_up(out, pods.classes);
    return out;
}

/// Hooks are shown groups ordered by id. Answers for each place of that order the index in `ids`.
std::vector<std::uint32_t> order_by_id(const std::vector<NodeGroupId>& ids) {
    std::vector<std::uint32_t> order(ids.size());
    std::iota(order.begin(), order.end(), 0u);
    // Equal ids are refused later; until then they keep their order.
    std::ranges::sort(order, [&ids](std::uint32_t a, std::uint32_t b) {
        return ids[a] != ids[b] ? ids[a] < ids[b] : a < b;
    });
    return order;
}

/// Complains about the second of two groups with one id; `places[i]` is where the i-th group's id
/// was read.
void refuse_twins(const std::vector<JsonPlace>& places, const std::vector<NodeGroupId>& ids) {
    std::set<NodeGroupId> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i].empty() || seen.insert(ids[i]).second) continue;
        places[i].complain("names group " + capstan::in_quotes(ids[i].value()) + " a second time");
    }
}

template <class T>
std::vector<T> reordered(std::vector<T> values, const std::vector<std::uint32_t>& order) {
    std::vector<T> out;
    out.reserve(values.size());
    for (const std::uint32_t i : order) out.push_back(std::move(values[i]));
    return out;
}

/// A splitter is promised a target and a maximum.
NodeGroup decode_sized_group(const JsonPlace& place) {
    NodeGroup out = decode_group(place);
    out.min = out.min.value_or(0);
    out.target = out.target.value_or(0);
    out.max = out.max.value_or(static_cast<int>(count_max));
    return out;
}

}  // namespace

ExpanderRequest decode_expander_request(const JsonPlace& root) {
    runtime::refuse_unknown(root, {"seed", "cluster_nodes", "options", "pods"});
    ExpanderRequest out;
    Pods pods = decode_pods(root["pods"]);
    std::vector<ScaleUpOption> options;
    std::vector<JsonPlace> places;
    std::vector<NodeGroupId> ids;
    for (const JsonPlace& place : root["options"].items()) {
        options.push_back(decode_option(place, pods));
        places.push_back(place["group"]["id"]);
        ids.push_back(options.back().group.id);
    }
    refuse_twins(places, ids);
    out.places = order_by_id(ids);
    out.question.options = reordered(std::move(options), out.places);
    out.question.pods = std::move(pods.classes);
    out.question.cluster_nodes =
        static_cast<std::uint32_t>(root["cluster_nodes"].integer(0, count_max).value_or(0));
    out.seed = root["seed"].natural().value_or(0);
    return out;
}

SimilarityRequest decode_similarity_request(const JsonPlace& root) {
    runtime::refuse_unknown(root, {"a", "b"});
    return {decode_template(root.required("a")), decode_template(root.required("b"))};
}

SplitterRequest decode_splitter_request(const JsonPlace& root) {
    runtime::refuse_unknown(root, {"nodes", "groups"});
    SplitterRequest out;
    out.nodes = static_cast<int>(root.required("nodes").integer(0, count_max).value_or(0));
    std::vector<NodeGroup> groups;
    std::vector<JsonPlace> places;
    std::vector<NodeGroupId> ids;
    for (const JsonPlace& place : root["groups"].items()) {
        groups.push_back(decode_sized_group(place));
        places.push_back(place["id"]);
        ids.push_back(groups.back().id);
    }
    refuse_twins(places, ids);
    out.places = order_by_id(ids);
    out.groups = reordered(std::move(groups), out.places);
    return out;
}

}  // namespace capstan::commands
