#include "runtime/memory_text.hpp"

#include <algorithm>
#include <utility>

#include "runtime/kept_times.hpp"
#include "runtime/record/described_memory.hpp"
#include "runtime/record/versioned.hpp"

namespace capstan::runtime {
namespace {

constexpr int memory_version = 1;

}  // namespace

/// When a text was written, by both clocks of a pass.
struct WrittenAt {
    Time now{}, wall{};
    bool operator==(const WrittenAt&) const = default;
};
BOOST_DESCRIBE_STRUCT(WrittenAt, (), (now, wall))

/// As it stands in the text.
struct SavedMemory {
    int version = 0;
    std::string host{};
    std::optional<WrittenAt> written{};
    engine::Memory memory{};
};
BOOST_DESCRIBE_STRUCT(SavedMemory, (), (version, host, written, memory))

namespace {

std::string saved_text(const SavedMemory& saved) {
    JsonText out;
    write_json(out, saved);
    return out.take();
}

constexpr void (*dispensable[])(engine::Memory&) = {
    [](engine::Memory& memory) { memory.hints.clear(); },
    [](engine::Memory& memory) { memory.templates.clear(); },
    [](engine::Memory& memory) { memory.known_groups.clear(); },
    [](engine::Memory& memory) {
        memory.planned.clear();
        memory.planned_since.clear();
    },
    [](engine::Memory& memory) { memory.removal_backoffs.clear(); },
    [](engine::Memory& memory) { memory.created.clear(); },
    [](engine::Memory& memory) { memory.unneeded.clear(); },
};

}  // namespace

Result<std::string> memory_text(const engine::Memory& memory, std::string_view host,
                                std::size_t limit, const std::optional<engine::PassTime>& written) {
    SavedMemory saved{.version = memory_version, .host = std::string(host), .memory = memory};
    if (written) saved.written = WrittenAt{written->now, written->wall};
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

std::string_view memory_part(std::string_view text) {
    return text.substr(std::min(text.find(R"("memory":)"), text.size()));
}

Result<engine::Memory> parse_memory(std::string_view text, std::string_view name,
                                    const std::optional<engine::PassTime>& read) {
    CAPSTAN_TRY(SavedMemory saved, parse_versioned<SavedMemory>(text, name, memory_version));
    if (!read) return std::move(saved.memory);
    std::optional<engine::PassTime> written;
    if (saved.written) written.emplace(saved.written->now, saved.written->wall);
    // Until now the cluster was not seen.
    if (written && !saved.memory.blind_since) saved.memory.blind_since = written->now;
    return read_back(std::move(saved.memory), written, *read);
}

}  // namespace capstan::runtime
