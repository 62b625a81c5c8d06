#include <capstan/quantity.hpp>

#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const Result<Quantity> read = parse_quantity(fuzz::text_of(data, size));
    if (!read) return 0;
    const std::string text = to_string(*read);
    const Result<Quantity> again = parse_quantity(text);
    fuzz::require(again && *again == *read, "a quantity's text is read as the same amount");
    // The text may change once more: "57812.5Ki" is printed as "59200000", and that as "59200k".
    const std::string settled = to_string(*again);
    fuzz::require(to_string(parse_quantity(settled).value()) == settled,
                  "the canonical text stays as it is");
    return 0;
}
