#include "runtime/daemon/cluster_status.hpp"

#include "engine/health/backoff.hpp"
#include "runtime/pass_metrics/failure_reason.hpp"

namespace capstan::runtime {
namespace {

/// As upstream cuts what clouds say.
std::string shortened_message(const std::string& text) {
    constexpr std::size_t longest = 500;
    constexpr std::string_view mark = "<truncated>";
    if (text.size() <= longest) return text;
    std::size_t end = longest - mark.size();
    // Not within a character.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + std::string(mark);
}

/// By group id; of nodes of no group by an empty one.
std::map<std::string, int> count_candidates(const PassReport& pass) {
    std::map<std::string, int> out;
    for (const engine::NodeVerdict& verdict : pass.decision().nodes)
        if (pass.memory.unneeded.contains(verdict.node)) ++out[verdict.group.value()];
    return out;
}

std::string health_word(const std::string& unhealthy_because) {
    return unhealthy_because.empty() ? "Healthy" : "Unhealthy";
}

std::string candidates_word(int candidates) {
    return candidates > 0 ? "CandidatesPresent" : "NoCandidates";
}

}  // namespace

StatusCondition StatusMaker::condition(const std::string& of, std::string status, Time now) {
    const auto before = before_.find(of);
    const bool is_same = before != before_.end() && before->second.status == status;
    return now_[of] = {std::move(status), is_same ? before->second.transition : now};
}

GroupStatus StatusMaker::group_status(const PassReport& pass, const engine::Group& group,
                                      const engine::GroupHealth& its, int candidates) {
    const std::string& id = group.group.id.value();
    GroupStatus out{.name = id,
                    .part = {.nodes = its.nodes,
                             .unjoined = its.unjoined,
                             .long_unjoined = its.long_unjoined,
                             .candidates = candidates},
                    .target = group.group.target.value_or(0),
                    .min = group.group.min.value_or(0),
                    .max = group.group.max.value_or(0)};
    const engine::Backoff* const backoff = engine::find_backoff(pass.memory, group, pass.at);
    std::string growth = "NoActivity";
    if (pass.memory.requests.contains(group.group.id)) {
        growth = "InProgress";
    } else if (!its.unhealthy_because.empty()) {
        growth = "Unhealthy";
    } else if (backoff != nullptr) {
        growth = "Backoff";
        out.backoff = {failure_reason(backoff->code), shortened_message(backoff->because)};
    }
    out.part.health =
        condition(id + "/health", health_word(its.unhealthy_because), pass.shown_at());
    out.part.scale_up = condition(id + "/scaleUp", growth, pass.shown_at());
    out.part.scale_down =
        condition(id + "/scaleDown", candidates_word(candidates), pass.shown_at());
    return out;
}

ClusterStatus StatusMaker::make(const PassReport& pass, const engine::Health& health) {
    const engine::Snapshot& snapshot = pass.input.snapshot;
    std::map<std::string, int> candidates = count_candidates(pass);
    ClusterStatus out{
        .at = pass.shown_at(), .cluster = {.nodes = health.all}, .clouds = pass.clouds};
    bool is_growing = false;
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) {
        const engine::Group& group = (*snapshot.groups)[g];
        const int its = candidates[group.group.id.value()];
        out.groups.push_back(group_status(pass, group, health.groups[g], its));
        const StatusPart& part = out.groups.back().part;
        is_growing |= part.scale_up.status == "InProgress";
        out.cluster.unjoined += part.unjoined;
        out.cluster.long_unjoined += part.long_unjoined;
        out.cluster.candidates += its;
    }
    StatusPart& cluster = out.cluster;
    cluster.health = condition("health", health_word(health.unhealthy_because), pass.shown_at());
    cluster.scale_up =
        condition("scaleUp", is_growing ? "InProgress" : "NoActivity", pass.shown_at());
    cluster.scale_down =
        condition("scaleDown", candidates_word(cluster.candidates), pass.shown_at());
    before_ = std::exchange(now_, {});
    return out;
}

}  // namespace capstan::runtime
