/// Independent pieces of work, several at a time, each in a forked copy of this process. A copy
/// that crashes fails alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <capstan/result.hpp>

namespace capstan::simulator::program {

struct ParallelRuns {
    /// Asked before each piece of work begins. False: no more pieces begin.
    std::function<bool(std::size_t index)> has_more{};
    /// Runs in the copy; must not throw. The result is its text.
    std::function<std::string(std::size_t index)> work{};
    /// Called in this process in the order of the indexes. The error: how the copy ended.
    std::function<void(std::size_t index, const Result<std::string>& text)> on_result{};
};

/// Runs the work for 0, 1, 2 and so on, at most `copies` at a time. The caller must have no other
/// thread. `unavailable`: no process can be made; the work under way is killed.
Result<void> run_in_parallel(int copies, const ParallelRuns& runs);

}  // namespace capstan::simulator::program
