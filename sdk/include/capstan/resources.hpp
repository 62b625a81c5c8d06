/// Amounts of several resources: capacity of machines, requests of pods.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/quantity.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Amounts by resource name, in the units of the ABI: thousandths of a core for "cpu", whole units
/// for everything else. `==` distinguishes absent from zero; arithmetic does not, and saturates at
/// the limits of int64.
class Resources {
public:
    struct Entry {
        std::string resource;
        std::int64_t amount = 0;

        Entry(std::string_view name, std::int64_t n) : resource(name), amount(n) {}
        Entry(std::string_view name, MilliCpu cpu) : Entry(name, cpu.count()) {}
        Entry(std::string_view name, Bytes bytes) : Entry(name, bytes.count()) {}
        bool operator==(const Entry&) const = default;
    };
    using const_iterator = std::vector<Entry>::const_iterator;

    Resources() = default;
    /// {{"cpu", 4_cpu}, {"memory", 32_GiB}, {"pods", 110}}; the last entry for a name counts.
    Resources(std::initializer_list<Entry> entries) {
        for (const Entry& entry : entries) set(entry.resource, entry.amount);
    }
    /// A copy; the first entry for a name counts, as in find(View).
    explicit Resources(View<capstan_quantity> amounts) {
        for (const capstan_quantity& q : amounts) slot(text(q.resource), q.amount);
    }

    void set(std::string_view resource, std::int64_t amount) { slot(resource, 0) = amount; }
    std::optional<std::int64_t> find(std::string_view resource) const noexcept {
        const const_iterator at = position(resource);
        return at != end() && at->resource == resource ? std::optional(at->amount) : std::nullopt;
    }
    /// Zero when absent.
    std::int64_t amount(std::string_view resource) const noexcept {
        return find(resource).value_or(0);
    }

    Resources& operator+=(const Resources& other) {
        return combine(other, [](detail::Int128 a, detail::Int128 b) { return a + b; });
    }
    /// Amounts may become negative.
    Resources& operator-=(const Resources& other) {
        return combine(other, [](detail::Int128 a, detail::Int128 b) { return a - b; });
    }
    Resources& operator*=(std::int64_t times) noexcept {
        for (Entry& e : entries_) e.amount = detail::saturated(detail::Int128{e.amount} * times);
        return *this;
    }
    friend Resources operator+(Resources a, const Resources& b) { return std::move(a += b); }
    friend Resources operator-(Resources a, const Resources& b) { return std::move(a -= b); }
    friend Resources operator*(Resources a, std::int64_t times) { return std::move(a *= times); }
    bool operator==(const Resources&) const = default;

    /// Ordered by name.
    const_iterator begin() const noexcept { return entries_.begin(); }
    const_iterator end() const noexcept { return entries_.end(); }
    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }

private:
    const_iterator position(std::string_view resource) const noexcept {
        return std::lower_bound(
            begin(), end(), resource,
            [](const Entry& e, std::string_view name) { return e.resource < name; });
    }
    /// The amount of `resource`, inserted as `initial` if it is absent.
    std::int64_t& slot(std::string_view resource, std::int64_t initial) {
        const const_iterator at = position(resource);
        if (at == end() || at->resource != resource)
            return entries_.insert(at, Entry(resource, initial))->amount;
        return entries_[static_cast<std::size_t>(at - begin())].amount;
    }
    template <class F>
    Resources& combine(const Resources& other, F together) {
        for (const Entry& e : other.entries_) {
            std::int64_t& mine = slot(e.resource, 0);
            mine = detail::saturated(together(mine, e.amount));
        }
        return *this;
    }

    std::vector<Entry> entries_;
};

/// From Kubernetes quantities by name: {"cpu": "1500m", "memory": "2Gi"}. The error names the
/// resource.
inline Result<Resources> parse_resources(const Labels& quantities) {
    Resources out;
    for (const auto& [resource, written] : quantities) {
        const Result<Quantity> quantity = parse_quantity(written);
        if (!quantity) return fail(within(resource, quantity.error()));
        out.set(resource, amount_of(resource, *quantity));
    }
    return out;
}

/// The list for the ABI; borrows the names from `resources`.
inline std::vector<capstan_quantity> to_abi(const Resources& resources) {
    std::vector<capstan_quantity> out;
    out.reserve(resources.size());
    for (const auto& [resource, amount] : resources) out.push_back({str(resource), amount});
    return out;
}

/// True if `room` has at least the needed amounts. Resources that are not needed (zero or less) are
/// ignored, so a node that is overcommitted in one resource still fits pods that need none of it.
inline bool fits_in(const Resources& need, const Resources& room) noexcept {
    return std::all_of(need.begin(), need.end(), [&](const Resources::Entry& e) {
        return e.amount <= 0 || e.amount <= room.amount(e.resource);
    });
}

/// Why `need` does not fit in `room`, for people; absent if it fits.
///     needs 24Gi of memory, 12Gi are free; needs 2 of nvidia.com/gpu, 0 are free
inline std::optional<std::string> find_shortage(const Resources& need, const Resources& room) {
    std::string out;
    for (const auto& [resource, amount] : need) {
        const std::int64_t free = room.amount(resource);
        if (amount <= 0 || amount <= free) continue;
        if (!out.empty()) out += "; ";
        out += "needs " + format_amount(resource, amount) + " of " + resource + ", " +
               format_amount(resource, free) + " are free";
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

inline std::ostream& operator<<(std::ostream& out, const Resources& resources) {
    const char* between = "{";
    for (const auto& [resource, amount] : resources) {
        out << between << resource << ": " << format_amount(resource, amount);
        between = ", ";
    }
    return out << (resources.empty() ? "{}" : "}");
}

CAPSTAN_NAMESPACE_END
