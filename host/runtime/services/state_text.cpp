#include "runtime/services/state_text.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include <capstan/base64.hpp>
#include <capstan/utf8.hpp>

namespace capstan::runtime::services {
namespace {

constexpr std::string_view first_line = "capstan-state 1\n";
constexpr std::string_view base64_mark = "base64:";

/// Reads what `state_text` wrote, and nothing else.
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
    return in.skip("\n") || (in.skip(" ") && in.line(state.home));
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
    out += std::to_string(state.last_revision) + (state.home.empty() ? "" : " " + state.home);
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

}  // namespace capstan::runtime::services
