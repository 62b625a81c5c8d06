#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/chaos/growth.hpp"
#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/sums.hpp"
#include "simulation/pod_predicates.hpp"

namespace capstan::simulation::chaos {
namespace {

/// An increase is too expensive at more than this multiple of another group's price. The shipped
/// expander also weighs how well pods and nodes suit each other, which changes its choice by a
/// fraction of the price and never by a multiple.
constexpr double price_ratio_max = 3;

class Cost final : public Invariant {
public:
    std::string_view name() const override { return "cost"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        if (!goes_by_price(moment)) return out;
        templates_.observe(moment);
        for (const engine::Increase& increase : moment.decision().increases) {
            const engine::Group* const group = moment.find_group(increase.group);
            if (group == nullptr || !group->price_per_hour) continue;
            const std::vector<engine::PodIndex> pods = pods_for(moment, increase);
            if (pods.empty()) continue;
            for (const engine::Group& other : moment.groups())
                compare(moment, increase, *group->price_per_hour, other, pods, out);
        }
        return out;
    }

private:
    static bool goes_by_price(const Moment& moment) {
        const auto& expanders = moment.input.wiring.expanders;
        return !expanders.empty() && expanders.front().expander->id() == "price";
    }

    /// The waiting pods that the increase's option helps. An option tells pod equivalence groups
    /// and counts, so any pods of a group stand for those meant. Empty: not all were found.
    static std::vector<engine::PodIndex> pods_for(const Moment& moment,
                                                  const engine::Increase& increase) {
        std::vector<engine::PodIndex> out;
        const auto& options = moment.decision().options;
        if (increase.option >= options.size() || options[increase.option].pods.empty()) return out;
        std::map<engine::PodGroupId, std::uint32_t> wanted;
        for (const engine::PodCount& pods : options[increase.option].pods)
            wanted[pods.equivalence_group] += pods.count;
        for (const engine::PodIndex pod : moment.cluster().unbound()) {
            const auto at = wanted.find(moment.cluster().equivalence_group_of(pod));
            if (at == wanted.end() || at->second == 0) continue;
            --at->second;
            out.push_back(pod);
        }
        const bool is_complete =
            std::ranges::all_of(wanted, [](const auto& entry) { return entry.second == 0; });
        return is_complete ? out : std::vector<engine::PodIndex>();
    }

    void compare(const Moment& moment, const engine::Increase& increase, double price,
                 const engine::Group& other, const std::vector<engine::PodIndex>& pods,
                 std::vector<std::string>& out) const {
        if (other.group.id == increase.group || !other.price_per_hour) return;
        const std::optional<int> machines = machines_for(moment, other, pods);
        if (!machines || !is_able(moment, increase, other, *machines)) return;
        const double other_price = *other.price_per_hour * *machines;
        if (price * increase.by <= price_ratio_max * other_price) return;
        out.push_back("group " + increase.group.value() + " grows by " +
                      std::to_string(increase.by) + " although " + counted(*machines, "machine") +
                      " of group " + other.group.id.value() +
                      " would fit the same pods at less than a third of the price");
    }

    /// How many machines of the group surely suffice, by first-fit packing. Empty: not all pods
    /// surely fit.
    std::optional<int> machines_for(const Moment& moment, const engine::Group& group,
                                    const std::vector<engine::PodIndex>& pods) const {
        std::vector<Resources> rooms;
        for (const engine::PodIndex pod : pods) {
            const engine::snapshot::Cluster& cluster = moment.cluster();
            if (!templates_.surely_fits(moment, pod, group)) return std::nullopt;
            Resources wants =
                cluster.equivalence_group(cluster.equivalence_group_of(pod)).spec->requests;
            wants += Resources{{"pods", 1}};
            const auto has_room = [&](const Resources& room) {
                return std::ranges::all_of(wants, [&](const auto& entry) {
                    return room.amount(entry.resource) >= entry.amount;
                });
            };
            auto at = std::ranges::find_if(rooms, has_room);
            if (at == rooms.end()) at = rooms.insert(rooms.end(), room_on_new_node(cluster, group));
            *at -= wants;
        }
        return static_cast<int>(rooms.size());
    }

    /// Whether the group could grow by `machines` in place of `instead`, with all other increases
    /// of the pass carried out.
    static bool is_able(const Moment& moment, const engine::Increase& instead,
                        const engine::Group& group, int machines) {
        if (group.options.zero_or_max.value_or(false)) return false;
        int target = group.group.target.value_or(0);
        Sums sums = sums_of(moment, DeletingMachines::counted);
        for (const engine::Increase& increase : moment.decision().increases) {
            const engine::Group* const grows = moment.find_group(increase.group);
            if (grows == nullptr || increase.group == instead.group) continue;
            sums.add(size_of(*grows), increase.by);
            if (increase.group == group.group.id) target += increase.by;
        }
        return could_grow(moment, group, target, machines, std::move(sums));
    }

    ObservedTemplates templates_;
};

}  // namespace

std::unique_ptr<Invariant> cost_invariant() { return std::make_unique<Cost>(); }

}  // namespace capstan::simulation::chaos
