#include "runtime/daemon/inheritance.hpp"

#include <optional>

#include "runtime/daemon/on_loop.hpp"
#include "runtime/daemon/plugin_states.hpp"
#include "runtime/memory_text.hpp"

namespace capstan::runtime {

Inheritance::Inheritance(PluginHost& host, std::shared_ptr<Beside> beside, std::string version,
                         std::string identity)
    : host_(host),
      beside_(std::move(beside)),
      version_(std::move(version)),
      identity_(std::move(identity)),
      failures_(host.log(), {.source = "capstan",
                             .failed = "what outlives a restart is not kept",
                             .succeeded = "what outlives a restart is kept again"}) {}

Result<engine::Memory> Inheritance::take(std::uint64_t term) {
    CAPSTAN_TRY(
        Legacy legacy,
        from_loop<Legacy>(host_, [beside = beside_, term](const PluginHost::Done<Legacy>& done) {
            beside->load_memory(term, done);
        }));
    take_over_states(host_, legacy.states);
    term_ = term;
    return std::move(legacy.memory);
}

void Inheritance::keep(const engine::Memory& memory) {
    const Result<void> kept = write(memory);
    const Duration now = host_.loop().monotonic();
    kept ? failures_.succeeded(now) : failures_.failed(kept.error(), now);
}

Result<void> Inheritance::write(const engine::Memory& memory) {
    const std::size_t room = beside_->keeper().room();
    SharedStates states = share_states(host_, identity_, room / 2);
    CAPSTAN_TRY(std::string text, memory_text(memory, version_, room - states.bytes));
    CAPSTAN_CHECK(from_loop<void>(
        host_, [beside = beside_, text = std::move(text), texts = std::move(states.texts),
                term = term_](const PluginHost::Done<void>& done) {
            // Whoever leads now has read it, and writes their own.
            if (beside->leadership().term() != term) return done({});
            beside->keeper().save(text, texts, done);
        }));
    return states.trouble ? fail(*std::move(states.trouble)) : Result<void>();
}

}  // namespace capstan::runtime
