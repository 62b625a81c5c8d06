#include "runtime/memory_text.hpp"

#include <utility>

#include "runtime/record/described_memory.hpp"
#include "runtime/record/versioned.hpp"

namespace capstan::runtime {
namespace {

constexpr int memory_version = 1;

}  // namespace

/// As it stands in the text.
struct SavedMemory {
    int version = 0;
    std::string host{};
    engine::Memory memory{};
};
BOOST_DESCRIBE_STRUCT(SavedMemory, (), (version, host, memory))

namespace {

std::string saved_text(const SavedMemory& saved) {
    JsonText out;
    write_json(out, saved);
    return out.take();
}

constexpr void (*dispensable[])(engine::Memory&) = {
    [](engine::Memory& memory) { memory.hints.clear(); },
    [](engine::Memory& memory) { memory.planned.clear(); },
    [](engine::Memory& memory) { memory.unneeded.clear(); },
};

}  // namespace

Result<std::string> memory_text(const engine::Memory& memory, std::string_view host,
                                std::size_t limit) {
    SavedMemory saved{memory_version, std::string(host), memory};
    std::string text = saved_text(saved);
    // From what costs nothing to what makes nodes stay for a while longer.
    for (void (*const do_without)(engine::Memory&) : dispensable) {
        if (text.size() <= limit) return text;
        do_without(saved.memory);
        text = saved_text(saved);
    }
    if (text.size() <= limit) return text;
    return fail(ErrorCode::invalid_argument, "memory takes " + std::to_string(text.size()) +
                                                 " bytes without its hints, there is room for " +
                                                 std::to_string(limit));
}

Result<engine::Memory> parse_memory(std::string_view text, std::string_view name) {
    CAPSTAN_TRY(SavedMemory saved, parse_versioned<SavedMemory>(text, name, memory_version));
    return std::move(saved.memory);
}

}  // namespace capstan::runtime
