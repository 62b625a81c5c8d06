#include "commands/pass_recorder.hpp"

#include <system_error>

#include "commands/written_file.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::commands {
namespace {

/// Without the marks that files should not have in their names.
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

Result<PassRecorder> PassRecorder::make(std::filesystem::path folder, runtime::SetupRecord setup,
                                        std::string version, std::size_t most) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return fail(ErrorCode::invalid_argument, "--record " + folder.string() +
                                                     ": cannot be made: " + error.message() +
                                                     "; name a folder that may be written");
    return PassRecorder(std::move(folder), std::move(setup), std::move(version), most);
}

void PassRecorder::on_pass(const runtime::PassInput& input, const runtime::PassResult& result) {
    if (!result_) return;
    const auto record = runtime::make_pass_record(version_, setup_, input, result);
    const auto file = folder_ / file_name(++passes_, input.circumstances.time().wall);
    result_ = write_private_file(file, runtime::pass_record_text(record) + "\n");
    if (most_ == 0) return;
    kept_.push_back(file);
    if (kept_.size() <= most_) return;
    std::error_code gone_already;
    std::filesystem::remove(kept_.front(), gone_already);
    kept_.pop_front();
}

}  // namespace capstan::commands
