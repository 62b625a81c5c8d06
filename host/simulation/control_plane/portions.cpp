#include "simulation/control_plane/portions.hpp"

#include <algorithm>
#include <charconv>

namespace capstan::simulation {

std::optional<std::int64_t> portion_at(const json::object& object, std::string_view path,
                                       std::int64_t of, Rounding rounding) {
    if (const auto whole = integer_at(object, path)) return std::max<std::int64_t>(*whole, 0);
    const std::string_view written = text_at(object, path);
    if (!written.ends_with('%')) return std::nullopt;
    std::int64_t percent = 0;
    const char* end = written.data() + written.size() - 1;
    if (const auto read = std::from_chars(written.data(), end, percent);
        read.ec != std::errc() || read.ptr != end)
        return std::nullopt;
    const std::int64_t hundredths = std::max<std::int64_t>(percent, 0) * of;
    return (hundredths + (rounding == Rounding::up ? 99 : 0)) / 100;
}

}  // namespace capstan::simulation
