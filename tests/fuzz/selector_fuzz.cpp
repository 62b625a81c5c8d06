#include "selector_text.hpp"

#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const auto read = replicas::parse_selector(fuzz::text_of(data, size));
    if (!read) return 0;
    const std::string text = replicas::to_text(*read);
    const auto again = replicas::parse_selector(text);
    fuzz::require(again.has_value(), "a selector that was read is written as one that can be read");
    fuzz::require(replicas::to_text(*again) == text, "a selector is written the same each time");
    return 0;
}
