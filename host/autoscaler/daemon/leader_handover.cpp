#include "autoscaler/daemon/leader_handover.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <capstan/hash.hpp>

#include "autoscaler/daemon/on_loop.hpp"
#include "autoscaler/daemon/plugin_starts.hpp"
#include "autoscaler/record/memory_text.hpp"

namespace capstan::autoscaler::daemon {
namespace {

/// The texts of failed writes that are remembered: a write without an answer may have been
/// made.
constexpr std::size_t most_attempts = 8;
/// While nodes are unneeded, the text is written again after so long: for a host that starts with
/// it, the time since counts as time in which the cluster was not observed.
constexpr Duration freshness = std::chrono::minutes(1);

/// Identifies a text, whenever it was written.
std::uint64_t own_hash_of(std::string_view text) { return fnv1a64(record::memory_part(text)); }

}  // namespace

LeaderHandover::LeaderHandover(PluginHost& host, std::shared_ptr<LoopServices> services,
                               std::string version, std::string identity)
    : host_(host),
      services_(std::move(services)),
      version_(std::move(version)),
      identity_(std::move(identity)),
      failures_(host.log(), {.source = "capstan",
                             .failed = "memory cannot be written, so nothing is ordered",
                             .succeeded = "memory is written again"}),
      state_failures_(host.log(), {.source = "capstan",
                                   .failed = "state of plugins not saved",
                                   .succeeded = "state of plugins saved again"}),
      clock_(host.loop().clock()) {}

Result<engine::Memory> LeaderHandover::take(std::uint64_t term) {
    CAPSTAN_TRY(PersistedState persisted,
                from_loop<PersistedState>(host_, [services = services_, term](
                                                     const PluginHost::Done<PersistedState>& done) {
                    services->load_memory(term, done);
                }));
    take_over_states(host_, persisted.states);
    term_ = term;
    last_text_.clear();
    state_sizes_.clear();
    for (const auto& [instance, text] : persisted.states) state_sizes_[instance] = text.size();
    const std::uint64_t hash = own_hash_of(persisted.text);
    const bool is_own = kept_ && std::ranges::find(own_, hash) != own_.end();
    own_ = {hash};
    if (!is_own) return std::move(persisted.memory);
    // No other leader has written. This host's last writes may have failed, so its own memory is
    // newer.
    engine::Memory out = *kept_;
    out.started = false;
    // This host has made no pass since, so nothing shows whether nodes were needed.
    if (!out.unobserved_since) out.unobserved_since = kept_at_;
    return out;
}

Result<void> LeaderHandover::keep(const engine::Memory& memory) {
    kept_ = memory;
    kept_at_ = clock_.read().now;
    const Result<bool> kept = write(memory);
    const Duration now = host_.loop().monotonic();
    // A term that is over is neither a failure nor the end of one.
    const bool is_over = kept ? !*kept : kept.error().code == ErrorCode::cancelled;
    if (is_over) return {};
    kept ? failures_.succeeded(now) : failures_.failed(kept.error(), now);
    if (!kept) return fail(kept.error());
    return {};
}

Result<std::string> LeaderHandover::text_of(const engine::Memory& memory) {
    const engine::PassTime time = clock_.read();
    std::size_t room = services_->keeper().room();
    for (const auto& [instance, size] : state_sizes_) room -= std::min(room, size);
    CAPSTAN_TRY(
        std::string text,
        record::memory_text(memory, version_,
                            {.with_hints = room, .all = room + MemoryMaps::rest_max}, time));
    const Duration ahead = time.wall - time.now;
    const bool is_fresh = memory.unneeded.empty() || time.now - last_at_ < freshness;
    const bool is_known = !last_text_.empty() && is_fresh && ahead == last_ahead_ &&
                          record::memory_part(text) == record::memory_part(last_text_);
    if (is_known) return last_text_;
    last_ahead_ = ahead;
    last_at_ = time.now;
    last_text_ = text;
    return text;
}

void LeaderHandover::note_attempt(const std::string& text) {
    if (own_.size() == most_attempts) own_.erase(own_.begin() + 1);
    own_.push_back(own_hash_of(text));
}

std::map<std::string, std::string> LeaderHandover::share_states_logged() {
    SharedStates states = share_states(host_, identity_, services_->keeper().room() / 2);
    const Duration now = host_.loop().monotonic();
    states.error ? state_failures_.failed(*states.error, now) : state_failures_.succeeded(now);
    for (const auto& [instance, text] : states.texts) state_sizes_[instance] = text.size();
    return std::move(states.texts);
}

Result<bool> LeaderHandover::write(const engine::Memory& memory) {
    std::map<std::string, std::string> states = share_states_logged();
    CAPSTAN_TRY(const std::string text, text_of(memory));
    note_attempt(text);
    CAPSTAN_TRY(const bool is_written,
                from_loop<bool>(host_, [services = services_, text, states = std::move(states),
                                        term = term_](const PluginHost::Done<bool>& done) {
                    // Another leader may have read the memory by now, and writes its own.
                    if (services->leadership().term() != term) return done(false);
                    services->keeper().save(text, states, [done](const Result<void>& saved) {
                        if (!saved) return done(fail(saved.error()));
                        done(true);
                    });
                }));
    if (is_written) own_ = {own_hash_of(text)};
    return is_written;
}

}  // namespace capstan::autoscaler::daemon
