#include <capstan/testing/interleavings.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {
namespace {

using namespace std::chrono_literals;

/// A host that wants a number of machines in one group, and knows what it must know to ask safely:
/// the last answer, and the machines that it asked to remove.
class PlayedHost {
public:
    PlayedHost(InterleavedCloud& cloud, std::uint64_t seed, int max)
        : cloud_(cloud), random_(seed), max_(max) {}

    /// One pass with random faults.
    void step() {
        arrange_faults();
        if (chance(4)) wanted_ = pick(max_ + 1);
        if (chance(8)) set_by_another(pick(max_ + 1));
        pass();
        advance(std::chrono::milliseconds(pick(5'000)));
    }
    /// One pass without faults.
    void calm_step() {
        cloud_.set_faults({});
        pass();
        advance(15s);
    }
    bool has_converged() const {
        return cloud_.target() == wanted_ && std::ssize(cloud_.machines()) == wanted_;
    }
    int wanted() const noexcept { return wanted_; }
    const std::string& violation() const noexcept { return violation_; }
    const std::string& story() const noexcept { return story_; }

private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
    bool chance(int one_in) { return pick(one_in) == 0; }
    void log(const std::string& what) {
        story_ += "  " + format_duration(now_) + " " + what + "\n";
    }

    void arrange_faults() {
        CloudFaults faults{.list_lag = std::chrono::milliseconds(pick(4'000))};
        std::string told = "list lag " + format_duration(faults.list_lag);
        if (chance(3)) faults.stock = pick(3);
        if (chance(4)) faults.throttled = 1 + pick(3);
        if (chance(6)) faults.hung = 1;
        if (chance(6)) faults.lost = 1;
        if (chance(6)) faults.late = std::chrono::milliseconds(5'000 + pick(20'000));
        if (chance(6)) faults.between = [this, target = pick(max_ + 1)] { set_by_another(target); };
        if (faults.stock) told += ", stock " + std::to_string(*faults.stock);
        if (faults.throttled > 0) told += ", throttled " + std::to_string(faults.throttled);
        if (faults.hung > 0) told += ", a change hangs";
        if (faults.lost > 0) told += ", a response is lost";
        if (faults.late > Duration::zero())
            told += ", an increase is delayed by " + format_duration(faults.late);
        log(told);
        cloud_.set_faults(std::move(faults));
    }

    void set_by_another(int target) {
        const std::vector<MachineId> before = cloud_.machines();
        cloud_.set_target(target);
        log("another client sets " + std::to_string(target));
        const std::vector<MachineId> after = cloud_.machines();
        for (const MachineId& machine : before)
            if (std::ranges::find(after, machine) == after.end()) expected_ends_.insert(machine);
    }

    void advance(Duration by) {
        cloud_.advance(by);
        now_ += by;
        join();
        check();
    }
    /// A machine has a node three seconds after it was made.
    void join() {
        const std::vector<MachineId> there = cloud_.machines();
        for (const MachineId& machine : there)
            if (now_ - made_at_.try_emplace(machine, now_).first->second >= 3s)
                nodes_.insert(machine);
    }
    void check() {
        const std::vector<MachineId> there = cloud_.machines();
        for (const MachineId& machine : nodes_) {
            if (std::ranges::find(there, machine) != there.end()) continue;
            if (!expected_ends_.contains(machine) && violation_.empty())
                violation_ = "machine " + machine.value() + ", which has a node, was terminated";
        }
        std::erase_if(nodes_, [&](const MachineId& machine) {
            return std::ranges::find(there, machine) == there.end();
        });
    }

    void pass() {
        const Result<CloudView> view = cloud_.refresh();
        check();
        const NodeGroup* const group =
            view && !view->groups.empty() ? &view->groups.front() : nullptr;
        if (group == nullptr || !group->target) {
            log("no view" + (view ? std::string() : ": " + view.error().message));
            return;
        }
        const int target = *group->target;
        note_view(*view, target);
        const int counted = count(*view, target);
        if (take_back(*view, *group, counted)) return;
        if (wanted_ > counted) return grow(*group, counted);
        if (counted > wanted_) shrink(*view, *group, counted);
    }

    void note_view(const CloudView& view, int listed) {
        if (answered_ && (listed >= *answered_ || now_ - answered_at_ > lag_of(view)))
            answered_.reset();
        std::erase_if(removed_, [&](const MachineId& machine) {
            return std::ranges::none_of(
                view.machines, [&](const Machine& m) { return m.id == machine && is_there(m); });
        });
    }
    static Duration lag_of(const CloudView& view) { return view.target_lag.value_or(15min); }
    static bool is_there(const Machine& machine) {
        return machine.state != MachineState::deleting && machine.state != MachineState::failed;
    }
    int count(const CloudView&, int listed) const {
        return std::max(listed - static_cast<int>(removed_.size()), answered_.value_or(0));
    }

    /// Takes failed requests back; not while the list lags behind an answer.
    bool take_back(const CloudView& view, const NodeGroup& group, int counted) {
        int requests = 0;
        std::vector<MachineId> failed;
        for (const Machine& machine : view.machines) {
            if (machine.group != group.id || !machine.error) continue;
            if (machine.state == MachineState::requested) ++requests;
            if (machine.state == MachineState::failed) failed.push_back(machine.id);
        }
        if (answered_ || (requests == 0 && failed.empty())) return false;
        if (!failed.empty()) {
            ask_removal(group, failed);
        } else if (requests <= counted) {
            const auto done = cloud_.decrease_target(resize(group, requests, counted));
            log("decrease " + std::to_string(counted) + " by " + std::to_string(requests) + ": " +
                outcome(done));
            check();
        }
        return true;
    }

    Resize resize(const NodeGroup& group, int by, int counted) {
        CAPSTAN_ASSERT(group.target, "a group without a target is resized");
        return {.group = group.id,
                .delta = by,
                .expected_target = counted,
                .idempotency_key = "request-" + std::to_string(++requests_),
                .listed_target = *group.target};
    }
    void grow(const NodeGroup& group, int counted) {
        const auto done = cloud_.increase(resize(group, wanted_ - counted, counted));
        log("increase " + std::to_string(counted) + " to " + std::to_string(wanted_) + ": " +
            outcome(done));
        if (done) answered_ = done->target, answered_at_ = now_;
        check();
    }
    void shrink(const CloudView& view, const NodeGroup& group, int counted) {
        std::vector<MachineId> going;
        for (const Machine& machine : view.machines) {
            const bool may_go = is_there(machine) && nodes_.contains(machine.id) &&
                                std::ranges::find(removed_, machine.id) == removed_.end();
            if (may_go && std::ssize(going) < counted - wanted_) going.push_back(machine.id);
        }
        if (!going.empty()) ask_removal(group, going);
    }
    void ask_removal(const NodeGroup& group, const std::vector<MachineId>& machines) {
        expected_ends_.insert(machines.begin(), machines.end());
        const auto done =
            cloud_.remove({.group = group.id,
                           .machines = machines,
                           .idempotency_key = "request-" + std::to_string(++requests_)});
        log("remove " + counted_machines(machines) + ": " + outcome(done));
        check();
        if (!done) return;
        for (const MachineId& machine : machines) {
            const auto is_it = [&](const Error& error) { return error.subject == machine.value(); };
            if (std::ranges::any_of(done->failed, is_it)) continue;
            removed_.push_back(machine);
            if (answered_) --*answered_;
        }
    }
    static std::string counted_machines(const std::vector<MachineId>& machines) {
        std::string out;
        for (const MachineId& machine : machines)
            out += (out.empty() ? "" : ", ") + machine.value();
        return out;
    }
    static std::string outcome(const Result<Resized>& done) {
        return done ? "target " + std::to_string(done->target) : done.error().message;
    }
    static std::string outcome(const Result<Removed>& done) {
        if (!done) return done.error().message;
        return done->failed.empty() ? "done" : done->failed.front().message;
    }

    InterleavedCloud& cloud_;
    std::mt19937_64 random_;
    const int max_;
    Duration now_{};
    int wanted_ = 0, requests_ = 0;
    std::optional<int> answered_{};
    Duration answered_at_{};
    std::vector<MachineId> removed_{};  ///< agreed to, and still listed
    std::map<MachineId, Duration> made_at_{};
    std::set<MachineId> nodes_{}, expected_ends_{};
    std::string violation_{}, story_{};
};

std::string play_interleaving(InterleavedCloud& cloud, std::uint64_t seed,
                              const InterleavingOptions& options) {
    PlayedHost host(cloud, seed, options.max);
    for (int n = 0; n < options.steps && host.violation().empty(); ++n) host.step();
    constexpr int calm_steps = 100;
    for (int n = 0; n < calm_steps && host.violation().empty(); ++n) {
        host.calm_step();
        if (n > 0 && host.has_converged()) break;
    }
    std::string what = host.violation();
    if (what.empty() && !host.has_converged())
        what = counted(host.wanted(), "machine") + " wanted, but the target stays at " +
               std::to_string(cloud.target()) + " with " + std::to_string(cloud.machines().size());
    return what.empty() ? what : "seed " + std::to_string(seed) + ": " + what + "\n" + host.story();
}

}  // namespace

std::string find_violation(
    const std::function<std::unique_ptr<InterleavedCloud>(std::uint64_t seed)>& make,
    const InterleavingOptions& options) {
    for (int n = 0; n < options.count; ++n) {
        const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(n);
        const std::unique_ptr<InterleavedCloud> cloud = make(seed);
        if (std::string violation = play_interleaving(*cloud, seed, options); !violation.empty())
            return violation;
    }
    return {};
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
