#include "simulator/memory_file.hpp"

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "autoscaler/record/memory_text.hpp"

namespace capstan::simulator {
namespace {

/// Prepares saved memory for a start. The process that stopped may have done more than it saved, so
/// `started` is cleared. The simulation observed the cluster meanwhile, so there is no gap in the
/// observation.
Result<engine::Memory> for_a_start(Result<engine::Memory> memory) {
    if (!memory) return memory;
    memory->started = false;
    memory->unobserved_since.reset();
    return memory;
}

Result<std::string> written_text(const engine::Memory& memory, const std::string& host,
                                 const engine::PassTime& written) {
    return autoscaler::record::memory_text(memory, host, {}, written);
}

}  // namespace

Result<engine::Memory> load_memory(const std::filesystem::path& file,
                                   const engine::PassTime& read) {
    if (file.empty() || !std::filesystem::exists(file)) return engine::Memory{};
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return fail(ErrorCode::invalid_config, file.string() + ": cannot be read");
    Result<engine::Memory> memory =
        autoscaler::record::parse_memory(text.str(), file.string(), read);
    if (!memory) return fail(ErrorCode::invalid_config, memory.error().message);
    return for_a_start(std::move(memory));
}

Result<void> save_memory(const engine::Memory& memory, const std::string& host,
                         const std::filesystem::path& file, const engine::PassTime& written) {
    if (file.empty()) return {};
    CAPSTAN_TRY(const std::string text, written_text(memory, host, written));
    const std::filesystem::path next = file.string() + ".new";
    std::ofstream out(next, std::ios::binary | std::ios::trunc);
    out << text << '\n';
    out.close();
    std::error_code error;
    // The memory describes the cluster, so only its owner may read it.
    if (out) std::filesystem::permissions(next, std::filesystem::perms(0600), error);
    if (out) std::filesystem::rename(next, file, error);
    if (!out || error) return fail(ErrorCode::unavailable, file.string() + ": cannot be written");
    return {};
}

Result<engine::Memory> memory_within(std::size_t room, const engine::Memory& memory,
                                     const std::string& host, const engine::PassTime& written) {
    CAPSTAN_TRY(
        const std::string text,
        autoscaler::record::memory_text(memory, host, {.with_hints = room, .all = room}, written));
    return autoscaler::record::parse_memory(text, "saved memory");
}

Result<engine::Memory> saved_and_read(const engine::Memory& memory, const std::string& host,
                                      const engine::PassTime& written,
                                      const engine::PassTime& read) {
    CAPSTAN_TRY(const std::string text, written_text(memory, host, written));
    return for_a_start(autoscaler::record::parse_memory(text, "saved memory", read));
}

}  // namespace capstan::simulator
