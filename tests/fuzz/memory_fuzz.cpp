#include "autoscaler/record/memory_text.hpp"
#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const std::string_view text = fuzz::text_of(data, size);
    const engine::PassTime now(Time(std::chrono::hours(1'000)), Time(std::chrono::hours(500'000)));
    (void)autoscaler::record::parse_memory(text, "input", now);
    const auto read = autoscaler::record::parse_memory(text, "input");
    if (!read) return 0;
    const auto written = autoscaler::record::memory_text(*read, "fuzz");
    fuzz::require(written.has_value(), "a memory of any size is written where there is no limit");
    const auto again = autoscaler::record::parse_memory(*written, "written");
    fuzz::require(again.has_value(), "a memory's text can be read");
    const auto rewritten = autoscaler::record::memory_text(*again, "fuzz");
    fuzz::require(rewritten && *rewritten == *written, "a memory is written the same each time");
    return 0;
}
