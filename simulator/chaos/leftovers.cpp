#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <capstan/duration.hpp>

#include "engine/node_marks.hpp"
#include "engine/removal/removal.hpp"
#include "engine/templates/membership.hpp"
#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

/// How long a node may carry our marks after its removal has ended. Covers the time until the
/// autoscaler notices, and an API server that fails meanwhile.
constexpr Duration leftover_time_max = std::chrono::hours(1);
/// The same for the taint of a leaving machine. Its time is on the wall clock, and each time that
/// this clock is set back lengthens it.
constexpr Duration leaving_leftover_time_max = std::chrono::hours(3);
/// How long a removal may be under way at the end of calm: an hour for the drain, and the time to
/// delete the machine.
constexpr Duration removal_max = std::chrono::minutes(100);

/// A node and a mark of ours that it carries.
struct Marked {
    std::string node{};
    std::string mark{};  ///< the key of a taint, or "the cordon of the autoscaler"
    auto operator<=>(const Marked&) const = default;
    bool is_of_removal() const { return mark != engine::leaving_taint; }
};

class Leftovers final : public Invariant {
public:
    std::string_view name() const override { return "leftovers"; }

    /// A Node object may outlive its machine. It is deleted by others, with its marks.
    std::vector<std::string> on_fact(const Fact& fact) override {
        const std::string node(fact.node);
        if (fact.kind == FactKind::machine_ended) ended_.insert(node);
        if (fact.kind == FactKind::node_joined || fact.kind == FactKind::node_gone)
            ended_.erase(node);
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::map<Marked, Time> seen;
        std::vector<std::string> out;
        for (const Marked& marked : find_marked(moment)) {
            if (marked.is_of_removal() && moment.memory().removals.contains(marked.node)) continue;
            const auto before = since_.find(marked);
            const Time since = before == since_.end() ? moment.now() : before->second;
            seen[marked] = since;
            const Duration most =
                marked.is_of_removal() ? leftover_time_max : leaving_leftover_time_max;
            if (moment.now() - since < most || !reported_.insert(marked).second) continue;
            out.push_back("node " + marked.node + " has had " + marked.mark + " for " +
                          format_duration(moment.now() - since) +
                          (marked.is_of_removal() ? " but is not being removed"
                                                  : " but its machine is not leaving"));
        }
        since_ = std::move(seen);
        return out;
    }

    std::vector<std::string> on_end(const Moment& last) override {
        std::vector<std::string> out;
        for (const Marked& marked : find_marked(last)) {
            const auto removal = last.memory().removals.find(marked.node);
            const bool is_under_way = marked.is_of_removal() &&
                                      removal != last.memory().removals.end() &&
                                      last.now() - removal->second.since < removal_max;
            if (!is_under_way)
                out.push_back("at the end of the run, node " + marked.node + " still has " +
                              marked.mark);
        }
        return out;
    }

private:
    /// Without nodes whose machines are gone, and without the taints of nodes whose machines are
    /// announced to leave.
    std::vector<Marked> find_marked(const Moment& moment) const {
        std::vector<Marked> out;
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const engine::templates::Membership membership =
            engine::templates::make_membership({cluster, moment.result.groups});
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
            const engine::snapshot::NodeRow& node = cluster.node(i);
            const std::string name(cluster.text(node.name));
            const Machine* const machine =
                engine::templates::find_machine({cluster, moment.result.groups}, membership, i);
            if (ended_.contains(name) || (!node.ready && machine == nullptr)) continue;
            for (const Taint& taint : node.taints) {
                const bool leaves = machine != nullptr && machine->leaves.has_value();
                if (taint.key == engine::to_be_deleted_taint ||
                    taint.key == engine::being_deleted_taint ||
                    (taint.key == engine::leaving_taint && !leaves))
                    out.push_back({name, taint.key});
            }
            if (engine::snapshot::find_label(cluster, node.annotations,
                                             engine::cordoned_annotation))
                out.push_back({name, "the cordon of the autoscaler"});
        }
        return out;
    }

    /// When a mark without a reason was first seen.
    std::map<Marked, Time> since_;
    std::set<Marked> reported_;
    std::set<std::string> ended_;  ///< nodes whose machines are gone
};

}  // namespace

std::unique_ptr<Invariant> leftovers_invariant() { return std::make_unique<Leftovers>(); }

}  // namespace capstan::simulator::chaos
