#include "engine/snapshot/symbols.hpp"

#include <algorithm>

#include "engine/snapshot/arena.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::snapshot {
struct Symbols::Table {
    StableVector<std::string_view> texts;
    Arena<char> letters;
    HashIndex index;

    std::optional<std::uint32_t> find(std::uint64_t hash, std::string_view text) const noexcept {
        return index.find(hash, [&](std::uint32_t number) { return texts[number] == text; });
    }
    std::uint32_t add(std::uint64_t hash, std::string_view text) {
        const std::span<char> kept = letters.take(text.size());
        std::copy(text.begin(), text.end(), kept.begin());
        const auto number = static_cast<std::uint32_t>(texts.size());
        texts.push_back({kept.data(), kept.size()});
        index.insert(hash, number);
        return number;
    }
};

Symbols::Symbols() : table_(std::make_unique<Table>()) {
    add("");  // is Symbol::empty
}
Symbols::~Symbols() = default;

Symbol Symbols::add(std::string_view text) {
    if (text.empty() && size() != 0) return Symbol::empty;
    const std::uint64_t hash = hash_of(text);
    if (const auto found = table_->find(hash, text)) return Symbol{*found};
    return Symbol{table_->add(hash, text)};
}

std::optional<Symbol> Symbols::find(std::string_view text) const noexcept {
    if (const auto found = table_->find(hash_of(text), text)) return Symbol{*found};
    return std::nullopt;
}

std::string_view Symbols::text(Symbol symbol) const noexcept {
    return table_->texts[static_cast<std::uint32_t>(symbol)];
}

std::size_t Symbols::size() const noexcept { return table_->texts.size(); }

std::size_t Symbols::bytes() const noexcept {
    return sizeof(Table) + table_->texts.bytes() + table_->letters.bytes() + table_->index.bytes();
}

}  // namespace capstan::engine::snapshot
