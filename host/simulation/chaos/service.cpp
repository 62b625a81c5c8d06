#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <capstan/duration.hpp>

#include "engine/health/backoff.hpp"
#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/judgement.hpp"
#include "simulation/chaos/sums.hpp"

namespace capstan::simulation {
namespace {

/// A machine that never joins is waited for a quarter of an hour, one that is never ready for
/// another; then the next try.
constexpr Duration growth_patience = std::chrono::minutes(50);

class Service final : public Invariant {
public:
    std::string_view name() const override { return "service"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        see_groups(moment);
        see_pods(moment);
        std::vector<std::string> out;
        for (const auto& [name, waiting] : waiting_) {
            if (told_.contains(name)) continue;
            const std::string group = find_late(moment, waiting);
            if (group.empty()) continue;
            told_.insert(name);
            out.push_back("pod " + name + " waits for " +
                          format_duration(moment.now() - waiting.since) + ", and group " + group +
                          " could have grown for the last " + format_duration(growth_patience));
        }
        return out;
    }

    /// Time without passes is no time in which a group could have grown.
    void on_clock_jump() override { able_since_.clear(); }

    /// What went wrong in carrying out is a reason to wait again.
    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        for (std::size_t i = 0; i < decision.increases.size() && i < results.increases.size();
             ++i) {
            if (results.increases[i]) able_since_.erase(decision.increases[i].group.value());
        }
        return {};
    }

    std::vector<std::string> on_end(const Moment& last) override {
        std::vector<std::string> out;
        for (const auto& [name, waiting] : waiting_) {
            if (last.now() - waiting.since < growth_patience) continue;
            for (const engine::Group& group : last.groups()) {
                if (is_able(last, group) &&
                    surely_fits(last.cluster(), waiting.pod, group, last.settings()))
                    out.push_back("at the end, in calm, pod " + name + " still waits, and group " +
                                  group.group.id.value() + " would have room for it");
            }
        }
        return out;
    }

private:
    struct Waiting {
        Time since{};
        engine::PodIndex pod = 0;  ///< of the last pass
    };

    static bool is_able(const Moment& moment, const engine::Group& group) {
        if (!has_limit_room(moment, group)) return false;
        if (group.group.max && group.group.target.value_or(0) >= *group.group.max) return false;
        if (!group.group.healthy.value_or(true)) return false;
        return engine::find_backoff(moment.memory(), group.group.id, moment.now()) == nullptr;
    }
    /// For one machine more, whatever there is of nodes and may come of targets.
    static bool has_limit_room(const Moment& moment, const engine::Group& group) {
        Sums sums = sums_of(moment, Going::counts);
        sums.add(size_of(group), 1);
        return std::ranges::none_of(bounds_of(moment.settings()), [&](const auto& entry) {
            return entry.second.max && sums.of(entry.first) > *entry.second.max;
        });
    }
    /// With many nodes that are not ready nothing is scaled at all.
    static bool is_cluster_well(const Moment& moment) {
        const engine::Cluster& cluster = moment.cluster();
        int unready = 0;
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
            unready += cluster.node(i).ready ? 0 : 1;
        return unready <= moment.settings().ok_total_unready_count;
    }

    void see_groups(const Moment& moment) {
        const bool is_well = is_cluster_well(moment);
        for (const engine::Group& group : moment.groups()) {
            const std::string& id = group.group.id.value();
            if (is_well && is_able(moment, group)) {
                able_since_.try_emplace(id, moment.now());
            } else {
                able_since_.erase(id);
            }
        }
    }

    void see_pods(const Moment& moment) {
        std::map<std::string, Waiting> now;
        for (const engine::PodIndex pod : moment.cluster().unbound()) {
            const engine::PodRow row = moment.cluster().pod(pod);
            if (row.gated || row.deleted) continue;
            const std::string name = name_of_pod(moment.cluster(), pod);
            const auto before = waiting_.find(name);
            now[name] = {before == waiting_.end() ? moment.now() : before->second.since, pod};
        }
        std::erase_if(told_, [&](const std::string& name) { return !now.contains(name); });
        waiting_ = std::move(now);
    }

    /// The group that could have helped; empty: none.
    std::string find_late(const Moment& moment, const Waiting& waiting) const {
        if (moment.now() - waiting.since < growth_patience) return {};
        for (const engine::Group& group : moment.groups()) {
            const auto able = able_since_.find(group.group.id.value());
            if (able == able_since_.end() || moment.now() - able->second < growth_patience)
                continue;
            if (surely_fits(moment.cluster(), waiting.pod, group, moment.settings()))
                return able->first;
        }
        return {};
    }

    std::map<std::string, Time> able_since_;
    std::map<std::string, Waiting> waiting_;
    std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Invariant> service_invariant() { return std::make_unique<Service>(); }

}  // namespace capstan::simulation
