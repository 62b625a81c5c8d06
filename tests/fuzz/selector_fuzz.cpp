#include <capstan/selector_text.hpp>

#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const auto read = parse_selector(fuzz::text_of(data, size));
    if (!read) return 0;
    const std::string text = format_selector(*read);
    const auto again = parse_selector(text);
    fuzz::require(again.has_value(), "the text of a selector can be read");
    fuzz::require(format_selector(*again) == text, "a selector is written the same each time");
    return 0;
}
