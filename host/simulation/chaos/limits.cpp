#include <map>
#include <set>
#include <string>
#include <utility>

#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/sums.hpp"

namespace capstan::simulation {
namespace {

class Limits final : public Invariant {
public:
    std::string_view name() const override { return "limits"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        if (!moment.decision().increases.empty()) find_above(moment, out);
        if (const auto gone = removed(moment); !gone.empty()) find_below(moment, gone, out);
        return out;
    }

private:
    /// What the pass takes back, no cloud has agreed to yet: it counts as if it stayed.
    static void find_above(const Moment& moment, std::vector<std::string>& out) {
        Sums sums = sums_of(moment, Going::does_not);
        std::map<NodeGroupId, int> asked_for;
        for (const engine::Increase& increase : moment.decision().increases)
            asked_for[increase.group] += increase.by;
        for (const engine::Group& group : moment.groups())
            sums.add(size_of(group), std::exchange(asked_for[group.group.id], 0));
        // Groups that are to be made first.
        for (const runtime::Theory& theory : moment.result.theories) {
            if (theory.group)
                sums.add(theory.group->planned.node.capacity,
                         std::exchange(asked_for[theory.group->planned.group.id], 0));
        }
        for (const auto& [what, bound] : bounds_of(moment.settings())) {
            if (bound.max && sums.of(what) > *bound.max)
                out.push_back(sentence(what, sums, "above", *bound.max));
        }
    }
    static void find_below(const Moment& moment, const std::set<std::string>& gone,
                           std::vector<std::string>& out) {
        Sums sums;
        for (engine::NodeIndex i = 0; i < moment.cluster().node_count(); ++i) {
            const engine::NodeRow& node = moment.cluster().node(i);
            const bool stays = !gone.contains(std::string(moment.cluster().text(node.name)));
            if (stays && is_limited(moment.cluster(), node)) sums.add(*node.capacity, 1);
        }
        for (const auto& [what, bound] : bounds_of(moment.settings())) {
            if (sums.of(what) < bound.min) out.push_back(sentence(what, sums, "below", bound.min));
        }
    }
    static std::string sentence(const std::string& what, const Sums& sums, std::string_view side,
                                std::int64_t limit) {
        return "of " + what + " there are to be " + std::to_string(sums.of(what)) + ", " +
               std::string(side) + " the limit " + std::to_string(limit);
    }
    /// By need, not because they are broken.
    static std::set<std::string> removed(const Moment& moment) {
        std::set<std::string> out;
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            if (removal.cause == engine::RemovalCause::never_joined ||
                removal.cause == engine::RemovalCause::failed)
                continue;
            for (const std::string& node : removal.nodes) {
                if (!node.empty()) out.insert(node);
            }
        }
        return out;
    }
};

}  // namespace

std::unique_ptr<Invariant> limits_invariant() { return std::make_unique<Limits>(); }

}  // namespace capstan::simulation
