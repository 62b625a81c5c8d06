/// A cache of a cloud's replies, with expiry.
///
///     Cached<std::string, MachineType> types_{host_, CacheLife{.fresh = 20min, .stale = 24h}};
///     const auto read = [this](std::string name) { return read_type(std::move(name)); };
///     const MachineType type = co_await types_.get(name, read);
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <capstan/single_flight.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

struct CacheLife {
    Duration fresh = std::chrono::minutes(1);  ///< how long a value is used without reading again
    /// The largest share by which the time `fresh` is shortened at random, so that values that were
    /// read together are not all read again at once.
    double jitter = 0.1;
    Duration absent{};  ///< how long a `not_found` is kept; zero: not at all
    /// How much longer than `fresh` a value is used when it cannot be read again; zero: not at all.
    Duration stale{};
    /// How long the old value is used after a failed read, before the next read.
    Duration pause = std::chrono::seconds(10);
    std::size_t most = 10'000;  ///< entries; beyond it the entry that expires first is dropped
};

/// [strand] Concurrent calls for one key share one read. As in SingleFlight, a read belongs to no
/// operation, and each waiting call ends at its own deadline.
template <class K, class V>
class Cached {
public:
    using Read = std::function<Task<V>(K)>;

    explicit Cached(const Host& host, CacheLife life = {})
        : state_(std::make_shared<State>(host, life)) {}

    /// The cached value, or what `read(key)` returns.
    Task<V> get(K key, Read read) { return get(state_, std::move(key), std::move(read)); }
    /// The value that `get` would return without reading; NULL: `get` would read, or fail with a
    /// cached `not_found`. Valid until the next call.
    const V* find(const K& key) const {
        const auto at = state_->entries.find(key);
        if (at == state_->entries.end() || !at->second.found || !state_->is_fresh(at->second))
            return nullptr;
        return &*at->second.found;
    }
    void put(K key, V value) { state_->keep(std::move(key), std::move(value)); }
    /// The next `get` reads, or waits for a read in progress, which still stores its value.
    void forget(const K& key) { state_->entries.erase(key); }
    void forget_all() { state_->entries.clear(); }
    std::size_t size() const noexcept { return state_->entries.size(); }

private:
    struct Entry {
        Result<V> found;         ///< the value, or the `not_found`
        Duration until{};        ///< fresh until then
        Duration stale_until{};  ///< of the value
    };
    struct State {
        State(const Host& of, CacheLife with) : host(of), life(with) {}
        Host host;
        CacheLife life;
        std::map<K, Entry> entries{};
        std::map<K, SingleFlight<V>> flights{};

        bool is_fresh(const Entry& entry) const noexcept { return host.monotonic() < entry.until; }
        Duration shortened(Duration full) const noexcept {
            const double share = std::clamp(life.jitter, 0.0, 1.0) * host.random_share();
            return full - std::chrono::duration_cast<Duration>(full * share);
        }
        /// Duration::max() means forever.
        static Duration later(Duration from, Duration by) noexcept {
            return by < Duration::max() - from ? from + by : Duration::max();
        }
        void keep(K key, V value) {
            const Duration now = host.monotonic();
            const Duration until = later(now, shortened(life.fresh));
            insert(std::move(key), Entry{std::move(value), until, later(until, life.stale)});
        }
        void insert(K key, Entry entry) {
            entries.insert_or_assign(std::move(key), std::move(entry));
            if (entries.size() <= std::max<std::size_t>(life.most, 1)) return;
            entries.erase(std::min_element(
                entries.begin(), entries.end(),
                [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
        }
    };

    static Task<V> get(std::shared_ptr<State> state, K key, Read read) {
        const auto at = state->entries.find(key);
        if (at != state->entries.end() && state->is_fresh(at->second)) co_return at->second.found;
        SingleFlight<V> flight =
            state->flights.try_emplace(key, SingleFlight<V>(state->host)).first->second;
        co_return co_await flight.join(read_anew(state, key, std::move(read)));
    }
    /// An exception that `read` throws before it returns a task becomes an error of this task.
    static Task<V> call(Read read, K key) { co_return co_await read(std::move(key)); }
    static Task<V> read_anew(std::shared_ptr<State> state, K key, Read read) {
        Result<V> found = co_await as_result(call(std::move(read), key));
        state->flights.erase(key);
        if (found) {
            state->keep(std::move(key), *found);
        } else if (found.error().code == ErrorCode::not_found) {
            state->entries.erase(key);
            const Duration until = State::later(state->host.monotonic(), state->life.absent);
            if (state->life.absent > Duration::zero())
                state->insert(std::move(key), Entry{fail(found.error()), until, until});
        } else if (const auto at = state->entries.find(key); at != state->entries.end()) {
            Entry& old = at->second;
            const Duration now = state->host.monotonic();
            if (old.found && now < old.stale_until) {
                old.until = std::min(State::later(now, state->life.pause), old.stale_until);
                co_return old.found;
            }
        }
        co_return found;
    }
    std::shared_ptr<State> state_;
};

CAPSTAN_NAMESPACE_END
