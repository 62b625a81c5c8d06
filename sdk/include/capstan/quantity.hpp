/// Kubernetes quantities ("1500m", "32Gi", "12e6"), exact to a billionth.
#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <capstan/detail/quantity_text.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/units.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// An exact amount and the family of suffixes of its text form. Compares by amount alone: "1Ki"
/// equals "1024". The amount is bounded by 10^28 units either way; arithmetic saturates.
/// parse_quantity bounds amounts with a binary suffix by 2^63-1, as Kubernetes does.
class Quantity {
public:
    using Format = detail::QuantityFormat;

    Quantity() = default;
    static constexpr Quantity units(std::int64_t n, Format format = Format::decimal) noexcept {
        return Quantity(detail::Int128{n} * detail::nanos, format);
    }
    static constexpr Quantity milli(std::int64_t n, Format format = Format::decimal) noexcept {
        return Quantity(detail::Int128{n} * (detail::nanos / 1000), format);
    }

    /// Whole units, rounded away from zero; saturates at the limits of int64.
    constexpr std::int64_t value() const noexcept { return detail::steps_of(nano_, detail::nanos); }
    /// Thousandths, rounded away from zero; saturates at the limits of int64.
    constexpr std::int64_t milli_value() const noexcept {
        return detail::steps_of(nano_, detail::nanos / 1000);
    }
    constexpr Format format() const noexcept { return format_; }
    constexpr int sign() const noexcept { return nano_ < 0 ? -1 : nano_ > 0 ? 1 : 0; }

    /// A zero adopts the suffixes of `other`, so that a sum reads like its parts.
    constexpr Quantity& operator+=(const Quantity& other) noexcept {
        if (nano_ == 0) format_ = other.format_;
        nano_ = detail::clamped(nano_ + other.nano_);
        return *this;
    }
    constexpr Quantity& operator-=(const Quantity& other) noexcept {
        return *this += Quantity(-other.nano_, other.format_);
    }
    friend constexpr Quantity operator+(Quantity a, const Quantity& b) noexcept { return a += b; }
    friend constexpr Quantity operator-(Quantity a, const Quantity& b) noexcept { return a -= b; }
    friend constexpr bool operator==(const Quantity& a, const Quantity& b) noexcept {
        return a.nano_ == b.nano_;
    }
    friend constexpr std::strong_ordering operator<=>(const Quantity& a,
                                                      const Quantity& b) noexcept {
        return a.nano_ < b.nano_   ? std::strong_ordering::less
               : a.nano_ > b.nano_ ? std::strong_ordering::greater
                                   : std::strong_ordering::equal;
    }

private:
    constexpr Quantity(detail::Int128 nano, Format format) noexcept
        : nano_(nano), format_(format) {}
    friend Result<Quantity> parse_quantity(std::string_view written);
    friend std::string to_string(const Quantity& quantity);

    detail::Int128 nano_ = 0;
    Format format_ = Format::decimal;
};

/// Parses what Kubernetes parses: an optional sign, a decimal number with at least one digit, and
/// at most one of the suffixes n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent ("12e6"; "12E"
/// is exa). Fractions of a billionth are rounded away from zero. Fails on anything else, including
/// spaces and wrong case.
inline Result<Quantity> parse_quantity(std::string_view written) {
    detail::QuantityText parts;
    if (const char* why = detail::split_quantity(written, parts)) {
        return fail(ErrorCode::invalid_argument, "quantity " + in_quotes(written) + ": " + why);
    }
    const detail::Int128 nano = detail::nano_of(parts);
    // Amounts below one unit get a decimal suffix, as in Kubernetes: "0.0001Ki" is "102400u".
    const bool small = nano != 0 && nano < detail::nanos;
    const auto format = small && parts.format == Quantity::Format::binary
                            ? Quantity::Format::decimal
                            : parts.format;
    return Quantity(parts.negative ? -nano : nano, format);
}

/// The canonical form: no fraction, and the largest suffix of its family that keeps the value.
///     "1.5" -> "1500m"        "1.5Gi" -> "1536Mi"        "1000k" -> "1M"        "0.5e3" -> "500"
inline std::string to_string(const Quantity& quantity) {
    return detail::quantity_text(quantity.nano_, quantity.format_);
}

inline std::ostream& operator<<(std::ostream& out, const Quantity& q) {
    return out << to_string(q);
}

/// The amount in the ABI (capstan_quantity): thousandths for "cpu", whole units for everything
/// else.
inline std::int64_t amount_of(std::string_view resource, const Quantity& quantity) noexcept {
    return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

/// The inverse of amount_of, with the usual suffixes of the resource: binary for memory, huge pages
/// and ephemeral storage, decimal for everything else.
inline Quantity quantity_of(std::string_view resource, std::int64_t amount) noexcept {
    if (resource == "cpu") return Quantity::milli(amount);
    const bool bytes = resource == "memory" || resource == "ephemeral-storage" ||
                       resource.substr(0, 10) == "hugepages-";
    return Quantity::units(amount, bytes ? Quantity::Format::binary : Quantity::Format::decimal);
}

/// An amount of the ABI for people: ("cpu", 1500) is "1500m", ("memory", 2147483648) is
/// "2Gi".
inline std::string format_amount(std::string_view resource, std::int64_t amount) {
    return to_string(quantity_of(resource, amount));
}

/// Cores, rounded up to a thousandth: "4", "500m", "0.5".
inline Result<MilliCpu> parse_cpu(std::string_view written) {
    CAPSTAN_TRY(const Quantity quantity, parse_quantity(written));
    return MilliCpu(quantity.milli_value());
}

/// Bytes, rounded up to a whole one: "32Gi", "500M".
inline Result<Bytes> parse_bytes(std::string_view written) {
    CAPSTAN_TRY(const Quantity quantity, parse_quantity(written));
    return Bytes(quantity.value());
}

inline std::string to_string(MilliCpu cpu) { return format_amount("cpu", cpu.count()); }
inline std::string to_string(Bytes bytes) { return format_amount("memory", bytes.count()); }
inline std::ostream& operator<<(std::ostream& out, MilliCpu cpu) { return out << to_string(cpu); }
inline std::ostream& operator<<(std::ostream& out, Bytes bytes) { return out << to_string(bytes); }

CAPSTAN_NAMESPACE_END
