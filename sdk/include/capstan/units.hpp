/// Types for cores and bytes, which do not mix: adding memory to cpu does not compile. For text see
/// quantity.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include <capstan/detail/int128.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A whole number of one unit. Arithmetic saturates at the limits of int64.
template <class Unit>
class Amount {
public:
    constexpr Amount() = default;
    constexpr explicit Amount(std::int64_t count) noexcept : count_(count) {}

    /// The number, in the unit of the type.
    constexpr std::int64_t count() const noexcept { return count_; }

    constexpr Amount& operator+=(Amount other) noexcept {
        return *this = Amount(detail::saturated(detail::Int128{count_} + other.count_));
    }
    constexpr Amount& operator-=(Amount other) noexcept {
        return *this = Amount(detail::saturated(detail::Int128{count_} - other.count_));
    }
    friend constexpr Amount operator+(Amount a, Amount b) noexcept { return a += b; }
    friend constexpr Amount operator-(Amount a, Amount b) noexcept { return a -= b; }
    friend constexpr Amount operator*(Amount a, std::int64_t times) noexcept {
        return Amount(detail::saturated(detail::Int128{a.count_} * times));
    }
    friend constexpr Amount operator*(std::int64_t times, Amount a) noexcept { return a * times; }
    friend constexpr bool operator==(Amount, Amount) = default;
    friend constexpr auto operator<=>(Amount, Amount) = default;

private:
    std::int64_t count_ = 0;
};

/// Thousandths of a core.
using MilliCpu = Amount<struct MilliCpuUnit>;
using Bytes = Amount<struct BytesUnit>;

/// 4_cpu, 250_mcpu, 32_GiB. Visible in namespace capstan; elsewhere `using namespace
/// capstan::literals`.
inline namespace literals {

constexpr std::int64_t literal_count(unsigned long long n) noexcept {
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    return n > static_cast<unsigned long long>(highest) ? highest : static_cast<std::int64_t>(n);
}

constexpr MilliCpu operator""_mcpu(unsigned long long n) noexcept {
    return MilliCpu(literal_count(n));
}
constexpr MilliCpu operator""_cpu(unsigned long long n) noexcept {
    return MilliCpu(literal_count(n)) * 1000;
}
constexpr Bytes operator""_B(unsigned long long n) noexcept { return Bytes(literal_count(n)); }
constexpr Bytes operator""_KiB(unsigned long long n) noexcept {
    return Bytes(literal_count(n)) * 1024;
}
constexpr Bytes operator""_MiB(unsigned long long n) noexcept {
    return Bytes(literal_count(n)) * (1 << 20);
}
constexpr Bytes operator""_GiB(unsigned long long n) noexcept {
    return Bytes(literal_count(n)) * (1 << 30);
}
constexpr Bytes operator""_TiB(unsigned long long n) noexcept {
    return Bytes(literal_count(n)) * (std::int64_t{1} << 40);
}

}  // namespace literals
CAPSTAN_NAMESPACE_END
