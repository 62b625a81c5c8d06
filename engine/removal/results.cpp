#include "engine/removal/results.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/drainability/eviction_refusals.hpp"
#include "engine/health/reactions.hpp"
#include "engine/next_change.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine::removal {
namespace {

/// How long a removal is retried if its node cannot be tainted.
constexpr Duration marking_time = std::chrono::minutes(1);
/// How long the removal of a machine is retried if its cloud does not answer or throttles.
constexpr Duration asking_time = std::chrono::minutes(10);

/// Whether nothing was done, and the next try may succeed.
bool is_transient(const Error& error) {
    if (error.provider_code == unknown_pods) return false;
    switch (error.code) {
        case ErrorCode::conflict:
        case ErrorCode::throttled:
        case ErrorCode::unavailable:
        case ErrorCode::deadline:
        case ErrorCode::cancelled:
        case ErrorCode::busy: return true;
        default: return false;
    }
}

bool sets_taint(const NodeChange& change, std::string_view taint) {
    return std::ranges::count(change.set_taints, taint, &Taint::key) > 0;
}

/// Whether the change writes or removes the marks that a removal in this phase waits for. The
/// change of a node may also be about another taint alone.
bool is_step(const NodeChange& change, RemovalPhase phase) {
    switch (phase) {
        case RemovalPhase::tainting: return sets_taint(change, to_be_deleted_taint);
        case RemovalPhase::deleting: return sets_taint(change, being_deleted_taint);
        case RemovalPhase::undoing:
            return std::ranges::count(change.drop_taints, to_be_deleted_taint) > 0;
        case RemovalPhase::waiting:
        case RemovalPhase::draining:
        case RemovalPhase::delayed:
        case RemovalPhase::removed: break;
    }
    return false;
}

class Remembering {
public:
    Remembering(Memory& memory, const Settings& settings, Time now)
        : memory_(memory), settings_(settings), now_(now) {}

    void take(const NodeChange& change, const std::optional<Error>& error) {
        NodeRemoval* removal = find(change.node);
        if (removal == nullptr || !is_step(change, removal->phase)) return;
        // Without its node the next pass forgets the removal.
        const bool is_gone = error && error->code == ErrorCode::not_found;
        if (removal->phase == RemovalPhase::undoing) {
            if (!error || is_gone) memory_.removals.erase(change.node);
        } else if (removal->phase == RemovalPhase::tainting && !is_gone) {
            if (!error) return enter(*removal, RemovalPhase::waiting, now_);
            const bool has_time = now_ < later(removal->since, marking_time);
            if (error->provider_code == unknown_pods) {
                give_up(memory_, *removal, error->message, now_);
            } else if (!is_transient(*error) || !has_time) {
                fail(*removal, "could not be tainted: " + error->message);
            }
        } else if (removal->phase == RemovalPhase::deleting && error) {
            unannounced_.insert(change.node);
        }
    }

    void take(const Eviction& eviction, const std::optional<Error>& error) {
        Evictions* const of_node = find_evictions(eviction.node);
        if (of_node == nullptr) return;
        const std::string key = drainability::pod_key(eviction);
        if (error && error->code == ErrorCode::cancelled) return take_unsent(*of_node, key);
        NodeRemoval::Eviction& of_pod = (*of_node)[key];
        if (!error || error->code == ErrorCode::not_found) {
            of_pod = {.agreed = now_};
        } else {
            drainability::note_refusal(of_pod, error->code, error->message, now_);
            if (is_transient(*error)) {
                of_pod.barred_since.reset();
            } else if (!of_pod.barred_since) {
                of_pod.barred_since = now_;
            }
        }
    }

    void take(const MachineRemoval& asked, const std::vector<Error>& errors) {
        for (std::size_t i = 0; i < std::min(asked.nodes.size(), asked.machines.size()); ++i) {
            NodeRemoval* removal = find(asked.nodes[i]);
            if (removal == nullptr || removal->phase != RemovalPhase::deleting) continue;
            const Error* const found = find_error(errors, asked.machines[i]);
            const bool was_asked = !unannounced_.contains(asked.nodes[i]) &&
                                   (found == nullptr || found->provider_code != not_asked);
            if (was_asked) removal->asked = true;
            if (found == nullptr || !is_asked_again(*removal, *found, was_asked))
                take_end(*removal, found, was_asked);
        }
    }

private:
    using Evictions = decltype(NodeRemoval::evictions);

    /// The API server was not asked and refused nothing: a pod without an earlier answer has had no
    /// request for its eviction.
    static void take_unsent(Evictions& evictions, const std::string& pod) {
        const auto at = evictions.find(pod);
        if (at != evictions.end() && at->second == NodeRemoval::Eviction{}) evictions.erase(at);
    }

    /// The evictions of a node that is drained, or whose machine is about to leave; NULL: neither.
    Evictions* find_evictions(const std::string& node) {
        NodeRemoval* const removal = find(node);
        if (removal != nullptr && removal->phase == RemovalPhase::draining)
            return &removal->evictions;
        const auto leaving = memory_.leaving.find(node);
        return leaving != memory_.leaving.end() ? &leaving->second.evictions : nullptr;
    }

    NodeRemoval* find(const std::string& node) {
        const auto at = memory_.removals.find(node);
        return at != memory_.removals.end() ? &at->second : nullptr;
    }

    /// Whether the removal of the machine is requested again. It is after a stop of the host, and
    /// for asking_time after a call without an answer or to a cloud that is backed off, because the
    /// node's pods are gone already. If BeingDeleted could not be set on the node, the cloud was
    /// not asked, and both are tried again for marking_time. If the node is gone, the next pass
    /// forgets the removal.
    bool is_asked_again(const NodeRemoval& removal, const Error& error, bool was_asked) const {
        if (error.code == ErrorCode::cancelled) return true;
        const bool has_time = now_ < later(removal.phase_since, marking_time);
        if (was_asked) {
            switch (health::reaction_to(health::Call::remove, error.code)) {
                case health::Reaction::await_outcome:
                case health::Reaction::back_off_cloud:
                case health::Reaction::await_credentials:
                    return now_ < later(removal.phase_since, asking_time);
                default: return false;
            }
        }
        const bool may_pass = is_transient(error) || error.code == ErrorCode::not_found;
        return may_pass && has_time;
    }

    /// The last result of a removal: done, or failed. A machine that was not found is gone.
    void take_end(NodeRemoval& removal, const Error* error, bool was_asked) {
        if (error != nullptr && (!was_asked || error->code != ErrorCode::not_found)) {
            const std::string because = "the machine was not removed: " + error->message;
            if (error->provider_code == unknown_pods)
                return give_up(memory_, removal, because, now_);
            return was_asked ? fail_in_group(removal, because) : fail(removal, because);
        }
        enter(removal, RemovalPhase::removed, now_);
        memory_.last.removal = now_;
        memory_.last_by_group[removal.group].removal = now_;
    }

    void fail(NodeRemoval& removal, std::string because) {
        give_up_and_back_off(memory_, removal, std::move(because), settings_, now_);
    }

    /// A refusal of the cloud delays removals of the group alone.
    void fail_in_group(NodeRemoval& removal, std::string because) {
        const std::optional<Time> of_all = memory_.last.failed_removal;
        fail(removal, std::move(because));
        memory_.last.failed_removal = of_all;
    }

    Memory& memory_;
    const Settings& settings_;
    const Time now_;
    /// Nodes on which BeingDeleted could not be set.
    std::set<std::string> unannounced_;
};

template <class Action, class Outcome>
void take_all(Remembering& remembering, const std::vector<Action>& actions,
              const std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < std::min(actions.size(), outcomes.size()); ++i)
        remembering.take(actions[i], outcomes[i]);
}

}  // namespace

Memory remember_steps(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now) {
    Remembering remembering(memory, settings, now);
    take_all(remembering, decision.node_changes, results.node_changes);
    take_all(remembering, decision.evictions, results.evictions);
    take_all(remembering, decision.removals, results.removals);
    return memory;
}

std::optional<Time> find_next_step(const Memory& memory, const Settings& settings, Time now,
                                   const Snapshot* seen, bool is_in_touch) {
    std::optional<Time> out;
    const auto is_held = [&](const NodeRemoval& removal) {
        if (removal.phase == RemovalPhase::undoing) return false;
        return !is_in_touch || (seen != nullptr && is_unreadable(find_group(*seen, removal.group)));
    };
    for (const auto& [node, removal] : memory.removals) {
        if (is_held(removal)) continue;
        switch (removal.phase) {
            case RemovalPhase::undoing:
                if (removal.phase_since == now) wake_by(out, now);
                break;
            case RemovalPhase::waiting:
                wake_by(out, later(removal.phase_since,
                                   settings.scale_down.node_delete_delay_after_taint));
                break;
            case RemovalPhase::tainting:
            case RemovalPhase::deleting:
            case RemovalPhase::draining:
            case RemovalPhase::delayed:
            case RemovalPhase::removed: break;
        }
    }
    return out;
}

}  // namespace capstan::engine::removal
