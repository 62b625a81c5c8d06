#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/chaos/fact_ledger.hpp"
#include "simulator/chaos/growth.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// A single increase may cost more than the cheapest one up to this multiple: an expander may also
/// weigh how well machines suit the pods and the cluster.
constexpr double single_ratio_max = 3;

/// Compares the price of each increase with the lowest price at which another group would surely
/// have had room for the same pods. The sums over a run count, whatever the configured expanders
/// are called. Groups without a price are not judged, nor is a choice among groups for which an
/// expander was not called because it fails.
class Price final : public Invariant {
public:
    std::string_view name() const override { return "price"; }

    void on_start(const JudgedRun& run) override { bound_ = run.input.judge.price; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        templates_.observe(moment);
        if (lacks_expander(moment)) return out;
        for (const engine::Increase& increase : moment.decision().increases) {
            const engine::Group* const group = moment.find_group(increase.group);
            if (group == nullptr || !group->price_per_hour) continue;
            const std::vector<engine::PodIndex> pods = pods_for(moment, increase);
            if (pods.empty()) continue;
            const double price = *group->price_per_hour * increase.by;
            Offer best{.price = price};
            for (const engine::Group& other : moment.groups())
                compare(moment, increase, other, pods, best);
            add(increase, price, best, out);
        }
        return out;
    }

private:
    static bool lacks_expander(const Moment& moment) {
        return std::ranges::count(moment.result.skipped_hooks, plugin_runtime::loop::Hook::filter,
                                  &plugin_runtime::instances::SkippedHook::hook) > 0;
    }

    static bool grows(const engine::ChosenOption& option, const NodeGroupId& group) {
        return option.group == group || std::ranges::count(option.similar, group) > 0;
    }

    /// The waiting pods that the increase helps. It may have nodes of several options, which were
    /// chosen one after the other, so the pods of each option that grows its group count. An option
    /// tells pod equivalence groups and counts, so any pods of a group stand for those meant.
    /// Empty: not all were found.
    static std::vector<engine::PodIndex> pods_for(const Moment& moment,
                                                  const engine::Increase& increase) {
        std::vector<engine::PodIndex> out;
        const auto& options = moment.decision().options;
        if (increase.option >= options.size() || options[increase.option].pods.empty()) return out;
        std::map<engine::PodGroupId, std::uint32_t> wanted;
        for (const engine::ChosenOption& option : options)
            if (&option == &options[increase.option] || grows(option, increase.group))
                for (const engine::PodCount& pods : option.pods)
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

    struct Offer {
        double price = 0;
        int machines = 0;
        std::string group{};  ///< empty: the group that grows
    };

    /// Replaces `best` if the other group is cheaper.
    void compare(const Moment& moment, const engine::Increase& increase, const engine::Group& other,
                 const std::vector<engine::PodIndex>& pods, Offer& best) const {
        if (other.group.id == increase.group || !other.price_per_hour) return;
        const std::optional<int> machines = machines_for(moment, other, pods);
        if (!machines || !is_able(moment, increase, other, *machines)) return;
        const double price = *other.price_per_hour * *machines;
        if (price < best.price) best = {price, *machines, other.group.id.value()};
    }

    void add(const engine::Increase& increase, double price, const Offer& best,
             std::vector<std::string>& out) {
        const double bound = std::max(bound_, single_ratio_max);
        paid_ += price;
        cheapest_ += best.price;
        increases_ += increase.by;
        if (price > bound * best.price) {
            out.push_back("group " + increase.group.value() + " grows by " +
                          std::to_string(increase.by) + " although " +
                          counted(best.machines, "machine") + " of group " + best.group +
                          " would fit the same pods at less than a third of the price");
        } else if (increases_ > machines_tolerated && paid_ > bound_ * cheapest_ && !is_reported_) {
            is_reported_ = true;
            out.push_back("the increases of the run cost " + rounded(paid_ / cheapest_) +
                          " times as much as the cheapest groups would; the last is of group " +
                          increase.group.value() + " instead of " + best.group);
        }
    }

    static std::string rounded(double ratio) {
        const auto hundredths = std::lround(ratio * 100);
        const std::string rest = std::to_string(hundredths % 100);
        return std::to_string(hundredths / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
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
    double bound_ = Judge().price;
    double paid_ = 0, cheapest_ = 0;
    int increases_ = 0;
    bool is_reported_ = false;
};

}  // namespace

std::unique_ptr<Invariant> price_invariant() { return std::make_unique<Price>(); }

}  // namespace capstan::simulator::chaos
