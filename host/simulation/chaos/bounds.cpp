#include <map>
#include <string>

#include "simulation/chaos/agreed_removals.hpp"
#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {
namespace {

/// Of a target, machines that its cloud has agreed to remove count no more, whatever its list says.
class Bounds final : public Invariant {
public:
    std::string_view name() const override { return "bounds"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        agreed_.see_lists(moment.groups());
        std::map<NodeGroupId, int> more;
        for (const engine::Increase& increase : moment.decision().increases)
            more[increase.group] += increase.by;
        std::vector<std::string> out;
        for (const auto& [id, by] : more) {
            const engine::Group* group = moment.find_group(id);
            if (group == nullptr || !group->group.max) continue;
            const int target =
                group->group.target.value_or(0) - agreed_.still_in_target(*group) + by;
            if (target > *group->group.max)
                out.push_back("group " + id.value() + " is to grow to " + std::to_string(target) +
                              ", above its maximum " + std::to_string(*group->group.max));
        }
        return out;
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        agreed_.see_results(decision, results);
        return {};
    }

private:
    AgreedRemovals agreed_{};
};

}  // namespace

std::unique_ptr<Invariant> bounds_invariant() { return std::make_unique<Bounds>(); }

}  // namespace capstan::simulation::chaos
