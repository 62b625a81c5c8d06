/// What this host knows from the leaders before it, and leaves to those after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "runtime/daemon/background_services.hpp"
#include "runtime/daemon/watch_outage.hpp"
#include "runtime/pass_clock.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

/// Of each term anew, also where this host has led before: what it still knows may be overtaken by
/// what another leader did, unless no other has written since. [passes' thread]
class LeaderHandover {
public:
    /// Borrows the host. `version`: this host's own; `identity`: of this process.
    LeaderHandover(PluginHost& host, std::shared_ptr<BackgroundServices> beside,
                   std::string version, std::string identity);

    /// The term that this memory belongs to; 0: none yet.
    std::uint64_t term() const noexcept { return term_; }
    /// What the last leader remembered, which is what this host was last to keep if no other has
    /// written since, be it written or not; plugins go on from what it kept of theirs. The time
    /// since it was kept counts as time in which the cluster was not seen. The error: it cannot be
    /// had now.
    Result<engine::Memory> take(std::uint64_t term);
    /// Waits until it is written, and says what goes wrong. Nothing happens once the term is over.
    void keep(const engine::Memory& memory);

private:
    /// False: the term is over, and nothing was written.
    Result<bool> write(const engine::Memory& memory);
    void note_attempt(const std::string& text);
    /// The text as it was written last where nothing but the time would be new, so that it need not
    /// be written: moments go on by the wall clock, unless that was set. A text by which nodes are
    /// unneeded does not get old.
    Result<std::string> text_of(const engine::Memory& memory, std::size_t room);

    PluginHost& host_;
    const std::shared_ptr<BackgroundServices> background_;
    const std::string version_, identity_;
    FailureLog failures_;
    std::uint64_t term_ = 0;
    PassClock clock_;
    std::string last_text_{};
    Duration last_ahead_{0};                ///< of the wall clock, as that text says it
    Time last_at_{};                        ///< when that text was made
    std::optional<engine::Memory> kept_{};  ///< as it was last to be kept
    Time kept_at_{};                        ///< when that was
    /// What the API server may hold if no other leader has written: as it was read or written last,
    /// then what was tried since. The part that memory_part answers.
    std::vector<std::string> own_{};
};

}  // namespace capstan::runtime::daemon
