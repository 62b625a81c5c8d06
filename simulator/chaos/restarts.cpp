#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "autoscaler/record/memory_text.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/picture.hpp"

namespace capstan::simulator::chaos {
namespace {

/// How long the fate of the orders before a restart may stay unknown. After that, an order that was
/// not carried out may be made again.
constexpr Duration fate_unknown_for = std::chrono::minutes(3);

/// What the pass before a restart saw and asked for.
struct Before {
    Picture picture{};  ///< its targets include the changes that were asked for
    std::set<std::string> unmatched{};
    /// The pass found no pod unschedulable, left none out because it was too young, and counted on
    /// no orders of unknown fate.
    bool has_scheduled_all = false;
};

/// The running machines that have no Node object, and the nodes whose machine is not listed. A
/// machine that a list lacks counts as about to start.
std::set<std::string> unmatched_machines(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    std::set<std::string> out;
    for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n)
        out.emplace(cluster.text(cluster.node(n).provider_id));
    for (const engine::Group& group : moment.groups()) {
        for (const Machine& machine : group.machines) {
            const auto joined = out.find(machine.id.value());
            if (joined != out.end())
                out.erase(joined);
            else if (machine.state == MachineState::running)
                out.insert(machine.id.value());
        }
    }
    return out;
}

class Restarts final : public Invariant {
public:
    std::string_view name() const override { return "restart"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        if (has_restarted_ && before_ && is_unchanged(moment, *before_) &&
            !gives_up_machines(moment.decision()) && !moment.decision().increases.empty()) {
            for (const engine::Increase& increase : moment.decision().increases)
                out.push_back(
                    "after a restart group " + increase.group.value() + " grows by " +
                    std::to_string(increase.by) +
                    " although all machines had been requested before: " + increase.because);
        }
        if (std::exchange(has_restarted_, false)) unsure_until_ = moment.now() + fate_unknown_for;
        remember(moment);
        return out;
    }
    void on_restart() override { has_restarted_ = true; }
    /// Without memory a request that took too long is not known, so it may be made again.
    void on_restart_without_memory() override { before_.reset(); }

private:
    /// Whether the machines asked for before the restart still suffice: no machine failed or was
    /// found without its node, none was missing in a list, no back-off began or ended, and no pod
    /// came.
    ///
    /// The scheduler does not know the autoscaler's plan, so it may have put a pod into a place
    /// that the plan had meant for another, and the other pod needs a machine that could not have
    /// been asked for before. So nothing is judged unless the running pods are the same as before.
    static bool is_unchanged(const Moment& moment, const Before& last) {
        const Picture now = picture_of(moment);
        const Picture& before = last.picture;
        return last.has_scheduled_all && before.targets == now.targets &&
               before.going == now.going && std::ranges::includes(before.waiting, now.waiting) &&
               before.backed_off == now.backed_off && !has_failures(moment) &&
               before.running == now.running && before.nodes == now.nodes &&
               last.unmatched == unmatched_machines(moment);
    }

    void remember(const Moment& moment) {
        Before before{.picture = picture_of(moment),
                      .unmatched = unmatched_machines(moment),
                      .has_scheduled_all = moment.decision().unschedulable.empty() &&
                                           moment.settings().new_pod_delay == Duration(0) &&
                                           moment.now() >= unsure_until_};
        std::map<std::string, int>& targets = before.picture.targets;
        for (const engine::Increase& increase : moment.decision().increases)
            targets[increase.group.value()] += increase.by;
        for (const engine::Decrease& decrease : moment.decision().decreases)
            targets[decrease.group.value()] -= decrease.by;
        before_ = std::move(before);
    }

    std::optional<Before> before_;
    bool has_restarted_ = false;
    Time unsure_until_{};
};

}  // namespace

std::unique_ptr<Invariant> restart_invariant() { return std::make_unique<Restarts>(); }

namespace {

class MemoryRoundTrip final : public Invariant {
public:
    std::string_view name() const override { return "memory"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        const Result<std::string> text = autoscaler::record::memory_text(moment.memory(), "chaos");
        if (!text) return {"memory cannot be written: " + text.error().message};
        // Most passes change nothing that is written.
        if (*text != text_) {
            Result<engine::Memory> back = autoscaler::record::parse_memory(*text, "memory");
            if (!back) return {"written memory cannot be read: " + back.error().message};
            text_ = *text;
            back_ = *std::move(back);
        }
        if (back_ == moment.memory()) return {};
        return {"memory differs after it was written and read"};
    }

private:
    std::string text_;     ///< of the last pass
    engine::Memory back_;  ///< what was read from `text_`
};

}  // namespace

std::unique_ptr<Invariant> memory_invariant() { return std::make_unique<MemoryRoundTrip>(); }

}  // namespace capstan::simulator::chaos
