#include "simulation/control_plane/workloads/removal_order.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

std::int64_t deletion_cost(const json::object& pod) {
    const std::string_view written =
        annotation_of(pod, "controller.kubernetes.io/pod-deletion-cost");
    std::int64_t cost = 0;
    const char* end = written.data() + written.size();
    const auto read = std::from_chars(written.data(), end, cost);
    return read.ec == std::errc() && read.ptr == end ? cost : 0;
}

int phase_rank(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Pending" ? 0 : phase == "Running" ? 2 : 1;
}

std::int64_t restart_count(const json::object& pod) {
    std::int64_t out = 0;
    if (const json::array* list = find_array(pod, "status.containerStatuses"))
        for (const json::value& item : *list)
            if (item.is_object())
                out = std::max(out, number_or(item.get_object(), "restartCount", 0));
    return out;
}

std::int64_t seconds(std::optional<Time> time) {
    return time ? std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count()
                : 0;
}

/// Lower goes first; times are negated so that later ones do.
auto rank(const json::object& pod, int neighbours) {
    return std::tuple(!text_at(pod, "spec.nodeName").empty(), phase_rank(pod), is_ready(pod),
                      deletion_cost(pod), -neighbours, -seconds(condition_since(pod, "Ready")),
                      -restart_count(pod),
                      -seconds(parse_timestamp_text(text_at(pod, "metadata.creationTimestamp"))),
                      std::string(text_at(pod, "metadata.name")));
}

}  // namespace

std::vector<ApiObject> in_removal_order(std::vector<ApiObject> pods) {
    std::map<std::string, int, std::less<>> on_node;
    for (const ApiObject& pod : pods) ++on_node[std::string(text_at(*pod, "spec.nodeName"))];
    using Rank = decltype(rank(*pods.front(), 0));
    std::vector<std::pair<Rank, ApiObject>> ranked;
    for (ApiObject& pod : pods) {
        Rank place = rank(*pod, on_node.find(text_at(*pod, "spec.nodeName"))->second);
        ranked.emplace_back(std::move(place), std::move(pod));
    }
    std::ranges::sort(ranked, {}, &std::pair<Rank, ApiObject>::first);
    std::vector<ApiObject> out;
    for (auto& [place, pod] : ranked) out.push_back(std::move(pod));
    return out;
}

}  // namespace capstan::simulation
