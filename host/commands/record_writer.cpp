#include "commands/record_writer.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include <capstan/duration.hpp>

namespace capstan::commands {
namespace {

/// Passes that wait for the disk; each keeps what it was decided on in memory.
constexpr std::size_t waiting_max = 8;

}  // namespace

/// Shared with the thread that writes, which may outlive the writer.
struct RecordWriter::Desk {
    explicit Desk(PassRecorder of) : recorder(std::move(of)) {}
    PassRecorder recorder;  ///< of the thread that writes
    std::mutex mutex;       ///< guards what follows
    std::condition_variable changed;
    std::size_t open = 0;
    Result<void> result{};

    void write(const runtime::PassInput& input, const runtime::PassResult& decided) {
        recorder.on_pass(input, decided);
        const std::lock_guard lock(mutex);
        result = recorder.result();
        --open;
        changed.notify_all();
    }
};

RecordWriter::RecordWriter(PassRecorder recorder)
    : desk_(std::make_shared<Desk>(std::move(recorder))),
      pool_({.threads = 1, .queue = waiting_max}) {}

Result<void> RecordWriter::on_pass(const runtime::PassInput& input,
                                   const runtime::PassResult& result) {
    const std::lock_guard lock(desk_->mutex);
    CAPSTAN_CHECK(desk_->result);
    const bool is_taken =
        pool_.submit([desk = desk_, input, result] { desk->write(input, result); });
    if (!is_taken)
        return fail(ErrorCode::busy, std::to_string(desk_->open) +
                                         " passes wait for the disk, and this one is left out");
    ++desk_->open;
    return {};
}

Result<void> RecordWriter::finish(Duration patience) {
    std::unique_lock lock(desk_->mutex);
    const bool is_written =
        desk_->changed.wait_for(lock, patience, [this] { return desk_->open == 0; });
    CAPSTAN_CHECK(desk_->result);
    if (is_written) return {};
    return fail(ErrorCode::unavailable, "records: " + std::to_string(desk_->open) +
                                            " passes could not be written within " +
                                            format_rough_duration(patience));
}

}  // namespace capstan::commands
