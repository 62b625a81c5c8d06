/// Text that occurs again and again, kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace capstan::engine::snapshot {

/// A text by its number. Equal symbols of one table are equal texts; their order means nothing, so
/// it never decides anything.
enum class Symbol : std::uint32_t { empty = 0 };

/// A table that only grows. Texts never move: the holder of a symbol may read its text on any
/// thread while another thread adds more; `add` and `find` are for one thread at a time.
class Symbols {
public:
    Symbols();
    Symbols(const Symbols&) = delete;
    Symbols& operator=(const Symbols&) = delete;
    ~Symbols();

    Symbol add(std::string_view text);
    std::optional<Symbol> find(std::string_view text) const noexcept;
    std::string_view text(Symbol symbol) const noexcept;
    std::size_t size() const noexcept;
    /// Memory held, in bytes.
    std::size_t bytes() const noexcept;

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

}  // namespace capstan::engine::snapshot
