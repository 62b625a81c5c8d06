#include "plugin_runtime/services/state_store.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/base64.hpp>
#include <capstan/utf8.hpp>

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::size_t state_key_limit = 253;

std::size_t size_of(const InstanceState& state) {
    std::size_t size = 0;
    for (const auto& [key, stored] : state.values) size += key.size() + stored.value.size();
    return size;
}

Unexpected conflict(std::string_view key, std::uint64_t expected, std::uint64_t found) {
    return fail(ErrorCode::conflict, "state " + std::string(key) + " has revision " +
                                         std::to_string(found) + ", expected " +
                                         std::to_string(expected));
}

Result<StoredValue> find_value(const InstanceState& state, const std::string& key) {
    const auto at = state.values.find(key);
    if (at == state.values.end())
        return fail(ErrorCode::not_found, "state " + key + " does not exist");
    return at->second;
}

/// The new revision.
Result<std::uint64_t> set_value(InstanceState& state, const std::string& key, std::string value,
                                std::uint64_t if_revision) {
    const auto at = state.values.find(key);
    const std::uint64_t revision = at == state.values.end() ? 0 : at->second.revision;
    if (revision != if_revision) return conflict(key, if_revision, revision);
    state.values[key] = {std::move(value), ++state.last_revision};
    if (size_of(state) <= StateStore::size_limit) return state.last_revision;
    return fail(above_state_limit(key, size_of(state)));
}

class MemoryMedium final : public StateMedium {
    Result<InstanceState> load(const PluginInstanceId& owner) override { return states_[owner]; }
    Result<void> save(const PluginInstanceId& owner, const InstanceState& state) override {
        states_[owner] = state;
        return {};
    }
    std::map<PluginInstanceId, InstanceState> states_;
};

}  // namespace

Error above_state_limit(std::string_view key, std::size_t bytes) {
    return {ErrorCode::quota, "state " + std::string(key) + ": " + std::to_string(bytes) +
                                  " bytes in total exceed the limit of " +
                                  std::to_string(StateStore::size_limit)};
}

MemoryStateStore::MemoryStateStore() : StateStore(std::make_shared<MemoryMedium>()) {}

Result<void> StateStore::run(std::function<void()> work) {
    const std::function<void()> now = std::move(work);
    const std::lock_guard lock(mutex_);
    now();
    return {};
}

template <class T>
Result<T> StateStore::ask(std::function<Result<T>(StateMedium&)> question) {
    const auto answer = std::make_shared<std::optional<Result<T>>>();
    CAPSTAN_CHECK(run([medium = medium_, question = std::move(question), answer] {
        answer->emplace(question(*medium));
    }));
    std::optional<Result<T>>& given = *answer;
    CAPSTAN_ASSERT(given, "run() has succeeded before its work ended");
    return *std::move(given);
}

Result<StoredValue> StateStore::get(const PluginInstanceId& owner, std::string_view key) {
    return ask<StoredValue>(
        [owner, key = std::string(key)](StateMedium& medium) -> Result<StoredValue> {
            CAPSTAN_TRY(const InstanceState state, medium.load(owner));
            return find_value(state, key);
        });
}

Result<std::uint64_t> StateStore::put(const PluginInstanceId& owner, std::string_view key,
                                      std::string_view value, std::uint64_t if_revision) {
    if (key.empty() || key.size() > state_key_limit) {
        return fail(ErrorCode::invalid_argument,
                    "a state key must have 1 to 253 bytes, not " + std::to_string(key.size()));
    }
    return ask<std::uint64_t>([owner, key = std::string(key), value = std::string(value),
                               if_revision](StateMedium& medium) -> Result<std::uint64_t> {
        CAPSTAN_TRY(const io::FileDescriptor held, medium.hold());
        CAPSTAN_TRY(InstanceState changed, medium.load(owner));
        CAPSTAN_TRY(const std::uint64_t revision, set_value(changed, key, value, if_revision));
        CAPSTAN_CHECK(medium.save(owner, changed));
        return revision;
    });
}

Result<std::string> StateStore::share(const PluginInstanceId& owner, const std::string& name) {
    return ask<std::string>([owner, name](StateMedium& medium) -> Result<std::string> {
        CAPSTAN_TRY(const io::FileDescriptor held, medium.hold());
        CAPSTAN_TRY(InstanceState state, medium.load(owner));
        if (state.values.empty()) return std::string();
        if (state.store_name.empty()) {
            state.store_name = name;
            CAPSTAN_CHECK(medium.save(owner, state));
        }
        return printable_state(state);
    });
}

Result<bool> StateStore::take_over(const PluginInstanceId& owner, std::string_view shared) {
    std::optional<InstanceState> shared_state = find_printable_state(shared);
    if (!shared_state || size_of(*shared_state) > size_limit)
        return fail(ErrorCode::invalid_argument, "the state of the previous leader cannot be read");
    return ask<bool>(
        [owner, shared_state = *std::move(shared_state)](StateMedium& medium) -> Result<bool> {
            CAPSTAN_TRY(const io::FileDescriptor held, medium.hold());
            CAPSTAN_TRY(InstanceState state, medium.load(owner));
            if (!state.store_name.empty() && state.store_name == shared_state.store_name)
                return false;
            state.last_revision = std::max(state.last_revision, shared_state.last_revision);
            state.values = shared_state.values;
            for (auto& [key, stored] : state.values) stored.revision = ++state.last_revision;
            CAPSTAN_CHECK(medium.save(owner, state));
            return true;
        });
}

namespace {

constexpr std::string_view first_line = "capstan-state 1\n";
constexpr std::string_view base64_mark = "base64:";

/// Parses the text of `state_text`.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool skip(std::string_view expected) {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    bool number(std::uint64_t& out) {
        const auto [at, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
        if (error != std::errc()) return false;
        rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()));
        return true;
    }
    bool number(std::uint64_t& out, char end) {
        return number(out) && skip(std::string_view(&end, 1));
    }
    bool line(std::string& out) {
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos) return false;
        out = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return true;
    }
    bool bytes(std::string& out, std::uint64_t count) {
        if (rest_.size() < count) return false;
        out = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return true;
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

bool read_head(Reader& in, InstanceState& state) {
    if (!in.skip(first_line) || !in.number(state.last_revision)) return false;
    return in.skip("\n") || (in.skip(" ") && in.line(state.store_name));
}

bool read(Reader& in, InstanceState& state) {
    if (!read_head(in, state)) return false;
    while (!in.is_at_end()) {
        std::string key;
        StoredValue stored;
        std::uint64_t key_size = 0;
        std::uint64_t value_size = 0;
        if (!in.number(stored.revision, ' ') || !in.number(key_size, ' ') ||
            !in.number(value_size, '\n') || !in.bytes(key, key_size) ||
            !in.bytes(stored.value, value_size)) {
            return false;
        }
        state.values.emplace(std::move(key), std::move(stored));
    }
    return true;
}

}  // namespace

std::string state_text(const InstanceState& state) {
    std::string out(first_line);
    out += std::to_string(state.last_revision) +
           (state.store_name.empty() ? "" : " " + state.store_name);
    out += '\n';
    for (const auto& [key, stored] : state.values) {
        out += std::to_string(stored.revision) + " " + std::to_string(key.size()) + " " +
               std::to_string(stored.value.size()) + "\n" + key + stored.value;
    }
    return out;
}

std::optional<InstanceState> find_state(std::string_view text) {
    Reader reader(text);
    InstanceState state;
    return read(reader, state) ? std::optional(std::move(state)) : std::nullopt;
}

std::string printable_state(const InstanceState& state) {
    std::string text = state_text(state);
    if (is_utf8(text)) return text;
    return std::string(base64_mark) + base64_encode(text);
}

std::optional<InstanceState> find_printable_state(std::string_view text) {
    if (!text.starts_with(base64_mark)) return find_state(text);
    const auto bytes = base64_decode_lenient(std::string(text.substr(base64_mark.size())));
    return bytes ? find_state(*bytes) : std::nullopt;
}

}  // namespace capstan::plugin_runtime::services
