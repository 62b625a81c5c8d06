#include "fuzzing.hpp"
#include "runtime/record/memory_text.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const std::string_view text = fuzz::text_of(data, size);
    const engine::PassTime now(Time(std::chrono::hours(1'000)), Time(std::chrono::hours(500'000)));
    (void)runtime::record::parse_memory(text, "input", now);
    const auto read = runtime::record::parse_memory(text, "input");
    if (!read) return 0;
    const auto written = runtime::record::memory_text(*read, "fuzz");
    fuzz::require(written.has_value(), "a memory of any size is written where there is no limit");
    const auto again = runtime::record::parse_memory(*written, "written");
    fuzz::require(again.has_value(), "a memory's text can be read");
    const auto rewritten = runtime::record::memory_text(*again, "fuzz");
    fuzz::require(rewritten && *rewritten == *written, "a memory is written the same each time");
    return 0;
}
