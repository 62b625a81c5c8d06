/// Writes each pass, of a simulation or of a live cluster, into a file of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/pass_visitor.hpp"
#include "autoscaler/record/pass_record.hpp"
#include "plugin_runtime/loop/blocking_pool.hpp"

namespace capstan::commands {

/// Writes DIR/pass-000001-20200101T000010Z.json, and so on: by the pass's number and time.
class PassRecorder final : public autoscaler::PassVisitor {
public:
    /// Makes the folder unless it exists; the error names it. Only the latest `most` files are
    /// kept; 0: all files.
    static Result<PassRecorder> make(std::filesystem::path folder,
                                     autoscaler::record::SetupRecord setup, std::string version,
                                     std::size_t most = 0);

    void on_decision(const autoscaler::PassReport& pass) override {
        record(pass.input, pass.result);
    }
    void record(const autoscaler::PassInput& input, const autoscaler::PassResult& result);

    /// The error of the first file that could not be written; no file is written after it.
    const Result<void>& result() const noexcept { return result_; }

private:
    PassRecorder(std::filesystem::path folder, autoscaler::record::SetupRecord setup,
                 std::string version, std::size_t most)
        : folder_(std::move(folder)),
          setup_(std::move(setup)),
          version_(std::move(version)),
          most_(most) {}

    std::filesystem::path folder_;
    autoscaler::record::SetupRecord setup_;
    std::string version_;
    std::size_t most_;
    std::deque<std::filesystem::path> kept_;  ///< oldest first; empty if all are kept
    std::int64_t passes_ = 0;
    Result<void> result_{};
};

/// Writes the passes of a daemon into files, on its own thread: a disk that is slow, or does
/// not answer at all, loses records but never delays a pass. [one thread]
class RecordWriter {
public:
    explicit RecordWriter(PassRecorder recorder);
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;

    /// Queues the pass for writing; returns at once. `busy`: the queue is full, so this pass is not
    /// recorded. Any other error: an earlier pass could not be written, and recording has stopped.
    Result<void> on_pass(const autoscaler::PassInput& input, const autoscaler::PassResult& result);
    /// Waits for queued passes to be written, at most `patience`. The error: some passes could not
    /// be written.
    Result<void> finish(Duration patience);

private:
    struct Desk;
    const std::shared_ptr<Desk> desk_;
    plugin_runtime::loop::BlockingPool pool_;
};

}  // namespace capstan::commands
