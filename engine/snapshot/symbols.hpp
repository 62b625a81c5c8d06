/// Interned texts: each distinct text is stored once and has a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace capstan::engine::snapshot {

/// The number of a text. Equal symbols of one table are equal texts. The order of symbols has no
/// meaning, so no decision depends on it.
enum class Symbol : std::uint32_t { empty = 0 };

/// A table of texts that only grows. Texts never move, so `text` of an existing symbol may be
/// called on any thread while another thread adds more. `add` and `find` are for one thread at a
/// time.
class Symbols {
public:
    Symbols();
    Symbols(const Symbols&) = delete;
    Symbols& operator=(const Symbols&) = delete;
    ~Symbols();

    Symbol add(std::string_view text);
    std::optional<Symbol> find(std::string_view text) const noexcept;
    /// Valid as long as the table.
    std::string_view text(Symbol symbol) const noexcept;
    std::size_t size() const noexcept;
    /// Memory held, in bytes.
    std::size_t bytes() const noexcept;

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

}  // namespace capstan::engine::snapshot
