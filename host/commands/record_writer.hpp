/// Writes the passes of a daemon into files beside it.
#pragma once

#include <memory>

#include <capstan/result.hpp>

#include "commands/pass_recorder.hpp"
#include "runtime/loop/blocking_pool.hpp"

namespace capstan::commands {

/// A disk that is slow, or does not answer at all, costs records and never a pass. [one thread]
class RecordWriter {
public:
    explicit RecordWriter(PassRecorder recorder);
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;

    /// Has the pass written; returns at once. `busy`: too many wait for the disk, so this one is
    /// left out; any other error: an earlier one could not be written, and none is any more.
    Result<void> on_pass(const runtime::PassInput& input, const runtime::PassResult& result);
    /// Waits for what is not written yet, as long as `patience`. The error: not all could be
    /// written.
    Result<void> finish(Duration patience);

private:
    struct Desk;
    const std::shared_ptr<Desk> desk_;
    runtime::BlockingPool pool_;
};

}  // namespace capstan::commands
