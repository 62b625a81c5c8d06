#include "commands/pass_recorder.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include <capstan/duration.hpp>

#include "commands/file_io.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::commands {
namespace {

/// The time without '-' and ':', for a file name.
std::string stamp_of(Time time) {
    std::string out = kubernetes::find_timestamp_text(time).value_or(std::to_string(unix_ns(time)));
    std::erase_if(out, [](char c) { return c == '-' || c == ':'; });
    return out;
}

std::string file_name(std::int64_t number, Time time) {
    const std::string digits = std::to_string(number);
    const std::string zeros(digits.size() < 6 ? 6 - digits.size() : 0, '0');
    return "pass-" + zeros + digits + "-" + stamp_of(time) + ".json";
}

}  // namespace

Result<PassRecorder> PassRecorder::make(std::filesystem::path folder,
                                        autoscaler::record::SetupRecord setup, std::string version,
                                        std::size_t most) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return fail(ErrorCode::invalid_argument, "--record " + folder.string() +
                                                     ": cannot be created: " + error.message() +
                                                     "; choose a writable folder");
    return PassRecorder(std::move(folder), std::move(setup), std::move(version), most);
}

void PassRecorder::record(const autoscaler::PassInput& input,
                          const autoscaler::PassResult& result) {
    if (!result_) return;
    const auto record = autoscaler::record::make_pass_record(version_, setup_, input, result);
    const auto file = folder_ / file_name(++passes_, input.call_context.time().wall);
    result_ = write_private_file(file, autoscaler::record::pass_record_text(record) + "\n");
    if (most_ == 0) return;
    kept_.push_back(file);
    if (kept_.size() <= most_) return;
    std::error_code gone_already;
    std::filesystem::remove(kept_.front(), gone_already);
    kept_.pop_front();
}

namespace {

/// The most passes that wait for the disk; each keeps its cluster in memory.
constexpr std::size_t waiting_max = 8;

}  // namespace

/// State shared with the writing thread, which may outlive the RecordWriter.
struct RecordWriter::Desk {
    explicit Desk(PassRecorder of) : recorder(std::move(of)) {}
    PassRecorder recorder;  ///< used by the writing thread only
    std::mutex mutex;       ///< guards what follows
    std::condition_variable changed;
    std::size_t open = 0;
    Result<void> result{};

    void write(const autoscaler::PassInput& input, const autoscaler::PassResult& decided) {
        recorder.record(input, decided);
        const std::lock_guard lock(mutex);
        result = recorder.result();
        --open;
        changed.notify_all();
    }
};

RecordWriter::RecordWriter(PassRecorder recorder)
    : desk_(std::make_shared<Desk>(std::move(recorder))),
      pool_({.threads = 1, .queue = waiting_max}) {}

Result<void> RecordWriter::on_pass(const autoscaler::PassInput& input,
                                   const autoscaler::PassResult& result) {
    const std::lock_guard lock(desk_->mutex);
    CAPSTAN_CHECK(desk_->result);
    const bool is_taken =
        pool_.submit([desk = desk_, input, result] { desk->write(input, result); });
    if (!is_taken)
        return fail(ErrorCode::busy,
                    std::to_string(desk_->open) +
                        " passes are still being written; this pass is not recorded");
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
