/// The phases of a pass that take time worth knowing. The engine has no clock; the observer has
/// one.
#pragma once

#include <cstdint>

namespace capstan::engine {

enum class PassPhase : std::uint8_t {
    remember,       ///< what the snapshot says of requests, failures and removals
    find_pending,   ///< pods that may need a new node, by class
    place_pending,  ///< those of them that fit on nodes there are or are on their way
    scale_up,       ///< options, choices and their nodes, to the end
    make_options,   ///< within scale_up: what each group would be worth
    explain,        ///< what is told of pods that stay without room
    find_unneeded,  ///< whose pods would find another place
    scale_down,     ///< which of those go, and the next steps of all removals
};

/// Parts may lie within others. Must not throw. [pass thread]
class PassPhaseObserver {
public:
    virtual ~PassPhaseObserver() = default;
    virtual void begin(PassPhase part) = 0;
    virtual void end(PassPhase part) = 0;
};

/// A part lasts as long as one of these.
class ScopedPassPhase {
public:
    /// Borrows the listener; NULL: there is none.
    ScopedPassPhase(PassPhaseObserver* listener, PassPhase part)
        : listener_(listener), part_(part) {
        if (listener_ != nullptr) listener_->begin(part_);
    }
    ScopedPassPhase(const ScopedPassPhase&) = delete;
    ScopedPassPhase& operator=(const ScopedPassPhase&) = delete;
    ~ScopedPassPhase() {
        if (listener_ != nullptr) listener_->end(part_);
    }

private:
    PassPhaseObserver* listener_;
    PassPhase part_;
};

}  // namespace capstan::engine
