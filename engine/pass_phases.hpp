/// The phases of a pass, for measuring how long each takes. The engine has no clock; the observer
/// has one.
#pragma once

#include <cstdint>

namespace capstan::engine {

enum class PassPhase : std::uint8_t {
    remember,       ///< bring the memory up to date, and find groups that could be made
    find_pending,   ///< find the pods that may need a new node
    place_pending,  ///< place pending pods that fit on existing or upcoming nodes
    scale_up,       ///< the rounds of the scale-up: options, choices, shares
    make_options,   ///< within scale_up: pack the pods for the option of each group
    explain,        ///< reasons for the pods that stay pending
    find_unneeded,  ///< find nodes without which every pod would have a place
    scale_down,     ///< choose the nodes to remove now, and the next steps of all removals
};

/// Observes when phases begin and end. A phase may lie within another. Must not throw.
/// [pass thread]
class PassPhaseObserver {
public:
    virtual ~PassPhaseObserver() = default;
    virtual void begin(PassPhase phase) = 0;
    virtual void end(PassPhase phase) = 0;
};

/// Tells the observer that a phase begins and, when destroyed, that it ends.
class ScopedPassPhase {
public:
    /// Borrows the observer; NULL: there is none.
    ScopedPassPhase(PassPhaseObserver* observer, PassPhase phase)
        : observer_(observer), phase_(phase) {
        if (observer_ != nullptr) observer_->begin(phase_);
    }
    ScopedPassPhase(const ScopedPassPhase&) = delete;
    ScopedPassPhase& operator=(const ScopedPassPhase&) = delete;
    ~ScopedPassPhase() {
        if (observer_ != nullptr) observer_->end(phase_);
    }

private:
    PassPhaseObserver* observer_;
    PassPhase phase_;
};

}  // namespace capstan::engine
