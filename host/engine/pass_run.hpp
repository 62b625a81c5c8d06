/// A pass, and everything it came by on its way, for those who ask about it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/pass.hpp"
#include "engine/provisioning/groups_to_make.hpp"
#include "engine/removal/removal.hpp"
#include "engine/scale_down/scale_down.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine {

/// Has run when it is made. Borrows all arguments but the memory as long as it lives.
class PassRun {
public:
    /// `asked`: classes that scale_up can be asked about though they may not be pending.
    PassRun(const Snapshot& snapshot, Memory memory, const Policies& policies,
            const Settings& settings, const Circumstances& circumstances,
            std::span<const ClassId> asked = {});
    PassRun(const PassRun&) = delete;
    PassRun& operator=(const PassRun&) = delete;
    ~PassRun() = default;

    const Scene& scene() const noexcept { return scene_; }
    /// With its placement as the scale-up left it.
    ScaleUp& scale_up() noexcept { return scale_up_; }
    const Decision& decision() const noexcept { return outcome_.decision; }
    /// As it is after the pass, until it is taken.
    const Memory& memory() const noexcept { return memory_; }
    /// Once, and last of all.
    Outcome take_outcome();

private:
    void keep_planned();
    void resize_kept_requests();
    void remove_nodes();
    RemovalSteps take_steps(const ScaleDown& plan);
    void make_groups(const Policies& policies, const Circumstances& circumstances);
    void note_wake();

    const std::string& blind_because_;  ///< see Circumstances
    Membership membership_{};           // until the scene has it
    GroupsToMake to_make_;
    Memory memory_;
    Scene scene_;
    ScaleUp scale_up_;
    Outcome outcome_{};
};

}  // namespace capstan::engine
