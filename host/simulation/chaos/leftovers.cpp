#include <chrono>
#include <map>
#include <set>

#include <capstan/duration.hpp>

#include "engine/removal/removal.hpp"
#include "engine/templates/membership.hpp"
#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {
namespace {

/// How long a node may carry our marks after its removal has ended. Covers the time until the
/// autoscaler notices, and an API server that fails meanwhile.
constexpr Duration leftover_time_max = std::chrono::hours(1);
/// How long a removal may be under way at the end of calm: an hour for the drain, and the time to
/// delete the machine.
constexpr Duration removal_max = std::chrono::minutes(100);

/// The taint of a removal, or "our cordon"; empty: the node carries neither.
std::string mark_of(const engine::snapshot::Cluster& cluster,
                    const engine::snapshot::NodeRow& node) {
    for (const Taint& taint : node.taints) {
        if (taint.key == engine::to_be_deleted_taint || taint.key == engine::being_deleted_taint)
            return taint.key;
    }
    return engine::snapshot::find_label(cluster, node.annotations, engine::cordoned_annotation)
               ? "our cordon"
               : "";
}

class Leftovers final : public Invariant {
public:
    std::string_view name() const override { return "leftovers"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::map<std::string, Time> seen;
        std::vector<std::string> out;
        for (const auto& [node, mark] : marked(moment)) {
            if (moment.memory().removals.contains(node)) continue;
            const auto before = since_.find(node);
            const Time since = before == since_.end() ? moment.now() : before->second;
            seen[node] = since;
            if (moment.now() - since < leftover_time_max || reported_.contains(node)) continue;
            reported_.insert(node);
            out.push_back("node " + node + " carries " + mark + " for " +
                          format_duration(moment.now() - since) + ", and nobody removes it");
        }
        since_ = std::move(seen);
        return out;
    }

    std::vector<std::string> on_end(const Moment& last) override {
        std::vector<std::string> out;
        for (const auto& [node, mark] : marked(last)) {
            const auto removal = last.memory().removals.find(node);
            const bool is_under_way = removal != last.memory().removals.end() &&
                                      last.now() - removal->second.since < removal_max;
            if (!is_under_way)
                out.push_back("at the end, in calm, node " + node + " still carries " + mark);
        }
        return out;
    }

private:
    static std::map<std::string, std::string> marked(const Moment& moment) {
        std::map<std::string, std::string> out;
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const engine::templates::Membership membership =
            engine::templates::make_membership({cluster, moment.result.groups});
        for (engine::snapshot::NodeIndex i = 0; i < cluster.node_count(); ++i) {
            const engine::snapshot::NodeRow& node = cluster.node(i);
            // The node object of a machine that is gone is deleted by others, with its marks.
            if (!node.ready && !membership.machine_of[i]) continue;
            const std::string mark = mark_of(cluster, node);
            if (!mark.empty()) out[std::string(cluster.text(node.name))] = mark;
        }
        return out;
    }

    /// When a node without a removal was first seen with a mark, by node.
    std::map<std::string, Time> since_;
    std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Invariant> leftovers_invariant() { return std::make_unique<Leftovers>(); }

}  // namespace capstan::simulation::chaos
