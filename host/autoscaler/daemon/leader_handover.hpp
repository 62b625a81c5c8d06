/// Takes over what the last leader has persisted, and persists the memory for the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/daemon/loop_services.hpp"
#include "autoscaler/daemon/watch_outage.hpp"
#include "autoscaler/pass_clock.hpp"
#include "autoscaler/plugin_host.hpp"
#include "engine/memory.hpp"

namespace capstan::autoscaler::daemon {

/// At the beginning of each term the memory is read again, even if this host has led before: its
/// own memory may be out of date, unless no other leader has written since. [passes' thread]
class LeaderHandover {
public:
    /// Borrows the host. `version`: of the host; `identity`: of this process.
    LeaderHandover(PluginHost& host, std::shared_ptr<LoopServices> services, std::string version,
                   std::string identity);

    /// The term that this memory belongs to; 0: none yet.
    std::uint64_t term() const noexcept { return term_; }
    /// The memory for a term. It is that of the ConfigMap, or, if no other leader has written
    /// since, the last one that this host was given to keep, even if it could not be written.
    /// Instances get the state that the last leader has shared. The time since that memory was kept
    /// counts as time in which the cluster was not observed. The error: the ConfigMap cannot be
    /// read now.
    Result<engine::Memory> take(std::uint64_t term);
    /// Writes the memory, waits until it is written, and logs errors. Does nothing once the term is
    /// over. The error: the memory is not written.
    Result<void> keep(const engine::Memory& memory);

private:
    /// False: the term is over, and nothing was written.
    Result<bool> write(const engine::Memory& memory);
    std::map<std::string, std::string> share_states_logged();
    void note_attempt(const std::string& text);
    /// The text of the memory. It is the last text if only the time of writing would differ, so
    /// that nothing has to be written. It is made anew if the wall clock was set, because readers
    /// compute times from that clock. While nodes are unneeded, the text is renewed once a minute.
    Result<std::string> text_of(const engine::Memory& memory);

    PluginHost& host_;
    const std::shared_ptr<LoopServices> services_;
    const std::string version_, identity_;
    FailureLog failures_, state_failures_;
    std::uint64_t term_ = 0;
    PassClock clock_;
    std::string last_text_{};
    Duration last_ahead_{0};  ///< the wall clock minus the clock of passes, in that text
    Time last_at_{};          ///< when that text was made
    std::optional<engine::Memory> kept_{};  ///< the memory of the last `keep`
    Time kept_at_{};                        ///< when that was
    /// The texts that the API server may have if no other leader has written: the one that was read
    /// or written last, then those that this host has tried to write since. Of each the hash of the
    /// part that memory_part returns.
    std::vector<std::uint64_t> own_{};
    /// The sizes of the states that are stored beside the memory, by instance.
    std::map<std::string, std::size_t> state_sizes_{};
};

}  // namespace capstan::autoscaler::daemon
