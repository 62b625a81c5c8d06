#include "engine/health/health.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/templates/daemons.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::engine {
namespace {

/// Machines of one group that have no node, by what becomes of them.
struct Machines {
    int waited_for = 0, failed = 0, late = 0, not_begun = 0;
    int listed = 0, joined = 0;  ///< without those that are going
};

void add_part(std::string& sentence, std::string_view between, const std::string& part) {
    sentence.append(sentence.empty() ? "" : between).append(part);
}

std::string not_waited_for(const Machines& machines, Duration limit) {
    std::string out;
    const auto add = [&](int n, const std::string& what) {
        if (n > 0) add_part(out, ", ", counted(n, "machine") + " " + what);
    };
    add(machines.failed, "that failed");
    add(machines.late, "launched more than " + format_duration(limit) + " ago");
    add(machines.not_begun, "asked for before the group was backed off");
    return out;
}

std::string sentence(const Upcoming& upcoming, const Machines& machines, Duration limit) {
    std::string out;
    if (upcoming.missing > 0) {
        out = counted(upcoming.missing, "machine") + (upcoming.missing == 1 ? " has" : " have") +
              " not joined";
    }
    if (upcoming.starting > 0) {
        add_part(out, ", ",
                 counted(upcoming.starting, "node") + (upcoming.starting == 1 ? " is" : " are") +
                     " not ready yet");
    }
    const std::string others = not_waited_for(machines, limit);
    if (!others.empty()) add_part(out, "; ", "not waited for: " + others);
    return out;
}

class Assessment {
public:
    Assessment(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
               const Settings& settings, Time now)
        : snapshot_(snapshot),
          membership_(membership),
          memory_(memory),
          settings_(settings),
          now_(now) {}

    Health run() {
        out_.groups.resize(snapshot_.groups->size());
        for (NodeIndex n = 0; n < snapshot_.cluster.node_count(); ++n) {
            out_.nodes.push_back(standing(n));
            if (out_.nodes.back() != Standing::starting) continue;
            ++out_.groups[membership_.machine_of[n]->group].upcoming.starting;
        }
        for (std::size_t g = 0; g < out_.groups.size(); ++g) count_missing(g);
        return std::move(out_);
    }

private:
    Standing standing(NodeIndex n) {
        const NodeRow& node = snapshot_.cluster.node(n);
        const Machine* machine = find_machine(snapshot_, membership_, n);
        if (machine != nullptr && machine->state == MachineState::deleting) return Standing::out;
        const auto has = [&](auto is_such) { return std::ranges::any_of(node.taints, is_such); };
        const bool held_back =
            has([&](const Taint& t) { return is_starting_taint(t.key, settings_); });
        if (node.ready && !held_back) return Standing::takes_pods;
        const bool leaving =
            node.unschedulable || has([](const Taint& t) { return is_deletion_taint(t.key); });
        const bool may_start = machine != nullptr && !leaving && !has_been_used(n);
        if (may_start && is_within(node.created, settings_.max_node_startup_time)) {
            return Standing::starting;
        }
        return node.ready ? Standing::takes_pods : Standing::out;
    }

    /// A node with pods of others was ready once: it has lost what it had, and a template would
    /// promise their room a second time.
    bool has_been_used(NodeIndex n) const {
        const Cluster& cluster = snapshot_.cluster;
        return std::ranges::any_of(cluster.pods_on(n), [&](PodIndex p) {
            return !is_daemon(cluster, cluster.class_of(p));
        });
    }

    /// Notes when that ends.
    bool is_within(Time since, Duration limit) {
        if (now_ - since >= limit) return false;
        if (limit > Time::max() - std::max(since, Time())) return true;  // longer than time lasts
        const Time end = since + limit;
        out_.wake_at = std::min(out_.wake_at.value_or(end), end);
        return true;
    }

    Machines count(std::size_t g, Duration limit) {
        const Group& group = (*snapshot_.groups)[g];
        const bool backed_off = find_backoff(memory_, group.group.id, now_) != nullptr;
        Machines out;
        for (std::size_t m = 0; m < group.machines.size(); ++m) {
            const Machine& machine = group.machines[m];
            if (machine.state == MachineState::deleting) continue;
            ++out.listed;
            if (membership_.joined[g][m]) {
                ++out.joined;
            } else if (machine.error || machine.state == MachineState::failed) {
                ++out.failed;
            } else if (backed_off && machine.state == MachineState::requested) {
                ++out.not_begun;
            } else if (machine.launched && !is_within(*machine.launched, limit)) {
                ++out.late;
            } else {
                ++out.waited_for;
            }
        }
        const int unlisted = std::max(0, group.group.target.value_or(0) - out.listed);
        (backed_off ? out.not_begun : out.waited_for) += unlisted;
        return out;
    }

    void count_missing(std::size_t g) {
        const Group& group = (*snapshot_.groups)[g];
        const Duration limit =
            group.options.max_node_provision_time.value_or(settings_.max_node_provision_time);
        const Machines machines = count(g, limit);
        Upcoming& upcoming = out_.groups[g].upcoming;
        // A target that was taken back leaves machines that the cloud will not finish.
        const int most = group.group.target.value_or(machines.listed) - machines.joined;
        upcoming.missing = std::clamp(most, 0, machines.waited_for);
        upcoming.because = sentence(upcoming, machines, limit);
    }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const Memory& memory_;
    const Settings& settings_;
    Time now_;
    Health out_;
};

}  // namespace

Health assess(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
              const Settings& settings, Time now) {
    return Assessment(snapshot, membership, memory, settings, now).run();
}

}  // namespace capstan::engine
