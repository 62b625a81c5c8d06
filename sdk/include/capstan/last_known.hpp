/// Replies of a cloud that are refreshed now and then. The last reply stays readable if a refresh
/// fails.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <capstan/cached.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] Like Cached, but `find` also returns values that are no longer fresh, and after an
/// error a key is not read again for a while.
template <class K, class V>
class LastKnown {
public:
    using Read = typename Cached<K, V>::Read;

    /// `pause`: how long to wait before a key that could not be read is read again.
    LastKnown(const Host& host, CacheLife life, Duration pause)
        : host_(host), pause_(pause), cached_(host, life) {}

    /// Reads the key if it is due. An error is kept for `find_error`.
    Task<void> update(K key, Read read) {
        if (!is_due(key)) co_return;
        Result<V> told = co_await as_result(cached_.get(key, std::move(read)));
        if (told) {
            keep(std::move(key), *std::move(told));
        } else {
            put_error(std::move(key), std::move(told).error());
        }
    }
    bool is_due(const K& key) const {
        const auto failed = failures_.find(key);
        if (failed != failures_.end() && host_.monotonic() < failed->second.until) return false;
        return cached_.find(key) == nullptr;
    }
    /// The last value, of any age; NULL: none, or the cloud has replied `not_found` since.
    const V* find(const K& key) const {
        const auto at = values_.find(key);
        return at != values_.end() ? &at->second : nullptr;
    }
    /// The error of the last read; NULL: that read succeeded, or nothing has been read.
    const Error* find_error(const K& key) const {
        const auto at = failures_.find(key);
        return at != failures_.end() ? &at->second.error : nullptr;
    }
    /// The next update reads, unless the last read failed less than `pause` ago.
    void expire(const K& key) { cached_.forget(key); }
    /// Stores a value as if it had been read.
    void put(K key, V value) {
        cached_.put(key, value);
        keep(std::move(key), std::move(value));
    }
    void put_error(K key, Error error) {
        if (error.code == ErrorCode::not_found && values_.erase(key) > 0) ++version_;
        failures_.insert_or_assign(std::move(key),
                                   Failed{std::move(error), host_.monotonic() + pause_});
    }
    /// Drops all other keys.
    void keep_only(const std::set<K>& keys) {
        const auto is_unneeded = [&](const auto& entry) { return !keys.contains(entry.first); };
        // A key that is used again is read again.
        for (const auto& entry : values_)
            if (is_unneeded(entry)) cached_.forget(entry.first);
        std::erase_if(values_, is_unneeded);
        std::erase_if(failures_, is_unneeded);
    }
    /// Changes whenever a value changes.
    std::uint64_t version() const noexcept { return version_; }

private:
    struct Failed {
        Error error;
        Duration until{};
    };
    void keep(K key, V value) {
        failures_.erase(key);
        const auto at = values_.find(key);
        if (at == values_.end() || !is_same(at->second, value)) ++version_;
        values_.insert_or_assign(std::move(key), std::move(value));
    }
    static bool is_same(const V& a, const V& b) {
        if constexpr (std::equality_comparable<V>) {
            return a == b;
        } else {
            return false;
        }
    }
    Host host_;
    Duration pause_;
    Cached<K, V> cached_;
    std::map<K, V> values_{};
    std::map<K, Failed> failures_{};
    std::uint64_t version_ = 0;
};

CAPSTAN_NAMESPACE_END
