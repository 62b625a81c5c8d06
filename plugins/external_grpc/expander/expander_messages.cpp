#include "expander_messages.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

#include "node_message.hpp"
#include "pod_message.hpp"

namespace capstan::external_grpc {
namespace {

/// Maximum size of a field's tag and length.
constexpr std::size_t field_overhead = 6;

using Pods = std::deque<PodMessages>;

/// The cloud's debug text of the group, or else cluster-autoscaler's: "web (0:10)".
std::string title_of_group(const NodeGroup& group) {
    if (!group.debug.empty()) return group.debug;
    if (!group.min || !group.max) return group.id.value();
    return group.id.value() + " (" + std::to_string(*group.min) + ":" + std::to_string(*group.max) +
           ")";
}

std::string debug_text(const ScaleUpOption& option) {
    std::string out = title_of_group(option.group) + ": " + counted(option.nodes, "node") +
                      " for " + counted(option.pod_count, "pod");
    if (!option.similar.empty())
        out += ", similar to " + listed(option.similar, [](const auto& id) { return id.value(); });
    return out;
}

/// The request without pods.
grpcplugin::BestOptionsRequest without_pods(const AsyncExpanderRequest& request) {
    grpcplugin::BestOptionsRequest out;
    for (const ScaleUpOption& option : request.options) {
        const std::string& id = option.group.id.value();
        grpcplugin::Option& to = *out.add_options();
        to.set_nodegroupid(id);
        to.set_nodecount(option.nodes);
        to.set_debug(debug_text(option));
        if (option.node == nullptr) continue;
        const NodeTemplate& node = *option.node;
        std::string bytes = node_bytes(node.name.empty() ? id : node.name, node);
        (*out.mutable_nodemap())[id] = bytes;
        (*out.mutable_nodebytesmap())[id] = std::move(bytes);
    }
    return out;
}

std::vector<PodShare> shares_of(const ScaleUpOption& option) {
    return option.pods != nullptr ? *option.pods : std::vector<PodShare>();
}

/// The maximum size that a pod of each equivalence group adds to the request.
std::vector<std::size_t> pod_sizes(const AsyncExpanderRequest& request, Pods& pods) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < pods.size(); ++i)
        out.push_back(2 * (pods[i].bytes(request.pods[i].count).size() + field_overhead));
    return out;
}

/// The maximum number of bytes for the pods of one option, so that all options together need at
/// most `room`. Options that need less leave their share to the others.
std::size_t room_of_each(const AsyncExpanderRequest& request, const std::vector<std::size_t>& sizes,
                         std::size_t room) {
    std::vector<std::size_t> needs;
    for (const ScaleUpOption& option : request.options) {
        std::size_t& need = needs.emplace_back();
        for (const PodShare& share : shares_of(option))
            need += share.count * sizes.at(share.equivalence_group);
    }
    std::sort(needs.begin(), needs.end());
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const std::size_t each = room / (needs.size() - i);
        if (needs[i] > each) return each;
        room -= needs[i];
    }
    return std::numeric_limits<std::size_t>::max();
}

/// One pod of each equivalence group, then a second of each and so on, as far as there is room.
void add_pods(const ScaleUpOption& option, Pods& pods, const std::vector<std::size_t>& sizes,
              std::size_t room, grpcplugin::Option& to) {
    std::vector<PodShare> left = shares_of(option);
    for (std::uint32_t number = 1; !left.empty(); ++number) {
        std::erase_if(left, [&](const PodShare& share) { return share.count < number; });
        for (const PodShare& share : left) {
            const std::size_t size = sizes.at(share.equivalence_group);
            if (size > room) return;
            room -= size;
            std::string bytes = pods.at(share.equivalence_group).bytes(number);
            to.add_pod(bytes);
            to.add_podbytes(std::move(bytes));
        }
    }
}

}  // namespace

grpcplugin::BestOptionsRequest message_of(const AsyncExpanderRequest& request, std::size_t size_max,
                                          std::vector<std::string>& sentences) {
    Pods pods;
    for (const PodEquivalenceGroup& each : request.pods) pods.emplace_back(each);
    grpcplugin::BestOptionsRequest out = without_pods(request);
    // With pods an option's own length takes more bytes.
    const std::size_t used = out.ByteSizeLong() + request.options.size() * field_overhead;
    const std::vector<std::size_t> sizes = pod_sizes(request, pods);
    const std::size_t room = room_of_each(request, sizes, size_max - std::min(size_max, used));
    std::int64_t included = 0, all = 0;
    for (int i = 0; i < out.options_size(); ++i) {
        const ScaleUpOption& option = request.options[static_cast<std::size_t>(i)];
        add_pods(option, pods, sizes, room, *out.mutable_options(i));
        included += out.options(i).podbytes_size();
        all += option.pod_count;
    }
    if (included < all)
        sentences.push_back("the request contains " + std::to_string(included) + " of " +
                            counted(all, "pod") + ": all would exceed " +
                            format_amount("memory", static_cast<std::int64_t>(size_max)));
    return out;
}

Result<KeptOptions> kept_options(const grpcplugin::BestOptionsResponse& reply,
                                 const AsyncExpanderRequest& request) {
    std::map<std::string_view, int> nodes_by_group;
    for (const grpcplugin::Option& option : reply.options())
        nodes_by_group[option.nodegroupid()] = option.nodecount();
    KeptOptions out;
    std::vector<std::string> resized;
    std::map<std::string_view, int> unknown = nodes_by_group;
    for (std::uint32_t i = 0; i < request.options.size(); ++i) {
        const ScaleUpOption& option = request.options[i];
        const std::string& id = option.group.id.value();
        const auto at = nodes_by_group.find(id);
        if (at == nodes_by_group.end()) continue;
        unknown.erase(id);
        out.kept.push_back({.option = i});
        // 0: the server only returns ids.
        if (at->second != 0 && at->second != option.nodes)
            resized.push_back(in_quotes(id) + " has " + std::to_string(option.nodes) + ", not " +
                              std::to_string(at->second));
    }
    const std::string unknown_groups =
        listed(unknown, [](const auto& group) { return in_quotes(group.first); });
    if (out.kept.empty() && !unknown.empty())
        return fail(
            ErrorCode::unavailable,
            "the server returned only groups that were not among the options: " + unknown_groups);
    if (!unknown.empty())
        out.sentences.push_back(
            "ignored groups returned by the server that were not among the options: " +
            unknown_groups);
    if (!resized.empty())
        out.sentences.push_back("ignored node counts returned by the server: " +
                                listed(resized, [](const std::string& each) { return each; }));
    return out;
}

}  // namespace capstan::external_grpc
