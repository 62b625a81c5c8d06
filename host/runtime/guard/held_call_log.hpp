/// What is said of calls that do not return, while they last.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/daemon_config.hpp"
#include "runtime/loop/call_watch.hpp"

namespace capstan::runtime::guard {

/// One sentence when a call is first seen as stuck, one at each doubling of its time, and one when
/// its thread is back. Used by one thread.
class HeldCallLog {
public:
    using Line = std::pair<config::LogLevel, std::string>;
    /// `stuck`: all calls that are stuck now. What is to be said of it.
    std::vector<Line> look(const std::vector<loop::HeldCall>& stuck);

private:
    struct Told {
        loop::HeldCall call{};
        Duration next{};  ///< told again once it has lasted so long
    };
    std::map<std::string, Told> told_;  ///< by plugin
};

}  // namespace capstan::runtime::guard
