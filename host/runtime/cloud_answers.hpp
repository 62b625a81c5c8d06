/// How one cloud answers, from refresh to refresh: what counts of it while it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "runtime/cloud_reader.hpp"

namespace capstan::runtime {

enum class CloudStanding : std::uint8_t {
    answered,
    failed,   ///< its refresh came to an error
    silent,   ///< its refresh has been under way for longer than it is waited for
    resting,  ///< it is not asked for a while: engine/health/cloud_rests.hpp
};
/// "answered".
std::string_view name_of(CloudStanding standing) noexcept;

/// How a cloud stands in one view.
struct CloudState {
    PluginInstanceId cloud{};
    CloudStanding standing = CloudStanding::answered;
    /// Why its groups are left as they are; empty: they are not.
    std::string because{};
    /// When the answer came that counts, by the machine's clock; nothing: none came since the
    /// start.
    std::optional<Time> answered{};
    std::optional<Error> failure{};  ///< of the refresh that ended for this view
    bool is_slow = false;            ///< its last refresh took longer than it is waited for
};

/// The calls of one cloud, one at a time, and their answers. Moments of the monotonic clock unless
/// `wall` is in their names. Guarded by its owner.
class CloudAnswers {
public:
    /// A call begins. Not while one is under way.
    void begin(Duration now, Time wall);
    /// It ended. `patience`: in which time an answer is no late one.
    void end(CloudReading reading, Duration now, Time wall, std::optional<Duration> patience);

    bool is_under_way() const noexcept { return is_under_way_; }
    Duration began() const noexcept { return began_; }
    /// Whether the last call that ended took longer than it is waited for, or the one under way is
    /// known to.
    bool is_slow() const noexcept { return is_slow_; }
    /// Whether an answer is there that no view was made of, and came at `since` at the earliest.
    bool has_unused(Duration since) const noexcept;
    /// Whether the last view was made without waiting for the call under way.
    bool was_given_up() const noexcept { return was_given_up_; }

    /// What counts of the cloud now. `resting`: why it is not asked; NULL: it is.
    CloudReading reading_for_view(const PluginInstanceId& cloud, const std::string* resting,
                                  CloudState& state);

private:
    CloudReading untouched(const CloudState& state, Error problem);

    bool is_under_way_ = false, is_slow_ = false, was_given_up_ = false, is_used_ = true;
    Duration began_{};
    Time began_wall_{};
    Duration ended_{};
    std::optional<Time> answered_wall_{};
    CloudReading last_{};  ///< of the last call that ended
    const CloudReading::MachineTypes no_machines_ =
        std::make_shared<const std::vector<MachineType>>();
    /// The groups of `last_` as unreadable ones, and for which reason.
    CloudReading::Groups marked_{}, marked_from_{};
    std::string marked_because_{};
};

}  // namespace capstan::runtime
