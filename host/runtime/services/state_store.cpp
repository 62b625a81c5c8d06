#include "runtime/services/state_store.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/services/state_text.hpp"

namespace capstan::runtime {

namespace {

constexpr std::size_t state_key_limit = 253;

std::size_t size_of(const InstanceState& state) {
    std::size_t size = 0;
    for (const auto& [key, stored] : state.values) size += key.size() + stored.value.size();
    return size;
}

Unexpected conflict(std::string_view key, std::uint64_t expected, std::uint64_t found) {
    return fail(ErrorCode::conflict, "state " + std::string(key) + " has revision " +
                                         std::to_string(found) + ", expected was " +
                                         std::to_string(expected));
}

}  // namespace

Result<StoredValue> StateStore::get(const PluginInstanceId& owner, std::string_view key) {
    const std::lock_guard lock(mutex_);
    CAPSTAN_TRY(const InstanceState state, load(owner));
    const auto at = state.values.find(key);
    if (at == state.values.end())
        return fail(ErrorCode::not_found, "there is no state " + std::string(key));
    return at->second;
}

Result<std::uint64_t> StateStore::put(const PluginInstanceId& owner, std::string_view key,
                                      std::string_view value, std::uint64_t if_revision) {
    if (key.empty() || key.size() > state_key_limit) {
        return fail(ErrorCode::invalid_argument,
                    "a state's key has 1 to 253 bytes, not " + std::to_string(key.size()));
    }
    const std::lock_guard lock(mutex_);
    CAPSTAN_TRY(const FileDescriptor held, hold());
    CAPSTAN_TRY(InstanceState changed, load(owner));
    const auto at = changed.values.find(key);
    const std::uint64_t revision = at == changed.values.end() ? 0 : at->second.revision;
    if (revision != if_revision) return conflict(key, if_revision, revision);
    changed.values[std::string(key)] = {std::string(value), ++changed.last_revision};
    if (size_of(changed) > size_limit) {
        return fail(ErrorCode::quota,
                    "state " + std::string(key) + ": " + std::to_string(size_of(changed)) +
                        " bytes in all are more than " + std::to_string(size_limit));
    }
    CAPSTAN_CHECK(save(owner, changed));
    return changed.last_revision;
}

Result<std::string> StateStore::share(const PluginInstanceId& owner, const std::string& name) {
    const std::lock_guard lock(mutex_);
    CAPSTAN_TRY(const FileDescriptor held, hold());
    CAPSTAN_TRY(InstanceState state, load(owner));
    if (state.values.empty()) return std::string();
    if (state.home.empty()) {
        state.home = name;
        CAPSTAN_CHECK(save(owner, state));
    }
    return printable_state(state);
}

Result<bool> StateStore::take_over(const PluginInstanceId& owner, std::string_view shared) {
    std::optional<InstanceState> theirs = find_printable_state(shared);
    if (!theirs || size_of(*theirs) > size_limit)
        return fail(ErrorCode::invalid_argument,
                    "what the leader before kept of its state cannot be read");
    const std::lock_guard lock(mutex_);
    CAPSTAN_TRY(const FileDescriptor held, hold());
    CAPSTAN_TRY(InstanceState ours, load(owner));
    if (!ours.home.empty() && ours.home == theirs->home) return false;
    ours.last_revision = std::max(ours.last_revision, theirs->last_revision);
    ours.values = std::move(theirs->values);
    for (auto& [key, stored] : ours.values) stored.revision = ++ours.last_revision;
    CAPSTAN_CHECK(save(owner, ours));
    return true;
}

}  // namespace capstan::runtime
