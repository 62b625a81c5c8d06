/// Detects that decisions repeat without progress.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <capstan/time.hpp>

#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

/// Decisions that repeat.
struct Repetition {
    Duration since{0};                      ///< from the start of the run
    std::map<std::string, int> commands{};  ///< how often each was given since then
};

/// Compares the state after each pass that gave commands with the states after earlier ones. When
/// only known states have come for `settled`, the next ones will be known, too, if no timer is
/// longer than `settled`. The caller passes states that hold the time left of all events that are
/// scheduled, so that a run that waits for one of these is always in a new state.
///
///     increase web by 1 (new), remove 1 node of web (new), increase web by 1 (known), ...
class RepetitionWatch {
public:
    RepetitionWatch(Duration settled, Time start) : settled_(settled), start_(start) {}

    /// A pass gave `commands`, in the wording of Expectations; evictions alone do not count.
    void observe(std::uint64_t state, const std::vector<std::string>& commands, Time now);
    /// Absent: decisions do not repeat, as far as is known.
    const std::optional<Repetition>& found() const noexcept { return found_; }

private:
    Duration settled_;
    Time start_;
    std::unordered_set<std::uint64_t> known_;
    std::optional<Time> since_{};  ///< the last state that was new
    std::map<std::string, int> commands_;
    std::optional<Repetition> found_{};
};

/// "increase web by 1 (19 times), remove 1 node of web (18 times)"
std::string commands_text(const Repetition& repetition);

/// The longest duration that may decide something: of [scale_up], [scale_down], settings of plugins
/// and annotations of the input's pods.
Duration longest_timer(const config::Config& config, const autoscaler::PluginSet& plugins,
                       const Input& input);

}  // namespace capstan::simulator
