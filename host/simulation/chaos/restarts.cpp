#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <capstan/sentence.hpp>

#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/judgement.hpp"

namespace capstan::simulation {
namespace {

using Targets = std::map<std::string, int>;

std::set<std::string> waiting_in(const engine::Cluster& cluster) {
    std::set<std::string> out;
    for (const engine::PodIndex pod : cluster.unbound()) out.insert(name_of_pod(cluster, pod));
    return out;
}

/// Who runs where, and is not on its way out.
std::set<std::string> running_in(const engine::Cluster& cluster) {
    std::set<std::string> out;
    for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        for (const engine::PodIndex pod : cluster.pods_on(n)) {
            if (!belongs_to_node(cluster, pod) && !cluster.pod(pod).deleted)
                out.insert(name_of_pod(cluster, pod) + " on " +
                           std::string(cluster.text(cluster.node(n).name)));
        }
    }
    return out;
}

/// What the pass before a restart saw and asked for.
struct Before {
    std::set<std::string> waiting{};
    Targets targets{};              ///< with what it asked for
    std::set<std::string> going{};  ///< nodes whose pods have to go somewhere else
    std::set<std::string> running{};
    bool has_helped_all = false;
};

class Restarts final : public Invariant {
public:
    std::string_view name() const override { return "restart"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        if (has_restarted_ && before_ && is_unchanged(moment) &&
            !moment.decision().increases.empty()) {
            for (const engine::Increase& increase : moment.decision().increases)
                out.push_back("after a restart group " + increase.group.value() +
                              " is to grow by " + std::to_string(increase.by) +
                              " though everything was asked for before: " + increase.because);
        }
        has_restarted_ = false;
        remember(moment);
        return out;
    }
    void on_restart() override { has_restarted_ = true; }

private:
    static Targets targets_of(const Moment& moment) {
        Targets out;
        for (const engine::Group& group : moment.groups())
            out[group.group.id.value()] = group.group.target.value_or(0);
        return out;
    }
    static std::set<std::string> going_in(const Moment& moment) {
        std::set<std::string> out;
        for (const auto& [node, removal] : moment.memory().removals) out.insert(node);
        return out;
    }
    /// No machine failed or was late, and no pod came: what was asked for is enough.
    bool is_unchanged(const Moment& moment) const {
        const auto now = waiting_in(moment.cluster());
        return before_->has_helped_all && before_->targets == targets_of(moment) &&
               before_->going == going_in(moment) && std::ranges::includes(before_->waiting, now) &&
               moment.memory().backoffs.empty() && !has_trouble(moment) &&
               (!looks_at_others(moment) || before_->running == running_in(moment.cluster()));
    }
    /// Pods with spread or affinity go by where others run. The scheduler, who knows no plan, may
    /// have put one of them meanwhile into a zone that another was to have: then its mate needs a
    /// machine there that nobody could have asked for before. Where nobody moved, nobody needs one.
    static bool looks_at_others(const Moment& moment) {
        return std::ranges::any_of(moment.cluster().unbound(), [&](engine::PodIndex pod) {
            return wants_more_than_room(moment.cluster(), pod, moment.settings());
        });
    }
    /// Something by which another machine may be wanted though nothing was forgotten.
    static bool has_trouble(const Moment& moment) {
        const engine::Cluster& cluster = moment.cluster();
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
            if (!cluster.node(i).ready) return true;
        }
        return std::ranges::any_of(moment.groups(), [](const engine::Group& group) {
            return std::ranges::any_of(group.machines, [](const Machine& machine) {
                return machine.state == MachineState::failed || machine.error;
            });
        });
    }

    void remember(const Moment& moment) {
        Before before{.waiting = waiting_in(moment.cluster()),
                      .targets = targets_of(moment),
                      .going = going_in(moment),
                      .running = running_in(moment.cluster()),
                      .has_helped_all = moment.decision().unhelped.empty()};
        for (const engine::Increase& increase : moment.decision().increases)
            before.targets[increase.group.value()] += increase.by;
        for (const engine::Decrease& decrease : moment.decision().decreases)
            before.targets[decrease.group.value()] -= decrease.by;
        before_ = std::move(before);
    }

    std::optional<Before> before_;
    bool has_restarted_ = false;
};

}  // namespace

std::unique_ptr<Invariant> restart_invariant() { return std::make_unique<Restarts>(); }

}  // namespace capstan::simulation
