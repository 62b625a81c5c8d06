/// What this host knows from the leaders before it, and leaves to those after it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "runtime/daemon/beside.hpp"
#include "runtime/daemon/failure_log.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime {

/// Of each term anew, also where this host has led before: whatever it still knows may be overtaken
/// by what another leader did. [passes' thread]
class Inheritance {
public:
    /// Borrows the host. `version`: this host's own; `identity`: of this process.
    Inheritance(PluginHost& host, std::shared_ptr<Beside> beside, std::string version,
                std::string identity);

    /// Whose memory this is; 0: nobody's yet.
    std::uint64_t term() const noexcept { return term_; }
    /// What the last leader remembered; plugins go on from what it kept of theirs. The error: it
    /// cannot be had now.
    Result<engine::Memory> take(std::uint64_t term);
    /// Waits until it is written, and says what goes wrong. Nothing happens once the term is over.
    void keep(const engine::Memory& memory);

private:
    Result<void> write(const engine::Memory& memory);

    PluginHost& host_;
    const std::shared_ptr<Beside> beside_;
    const std::string version_, identity_;
    FailureLog failures_;
    std::uint64_t term_ = 0;
};

}  // namespace capstan::runtime
