/// Lists one collection, and then watches it for as long as the reflector lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/watch/reflector_requests.hpp"
#include "kubernetes/field_mask.hpp"

namespace capstan::kubernetes::client {

/// The state of one kind's reflector and cache.
struct ReflectorStatus {
    std::string kind{};
    bool has_synced = false;      ///< the kind has been listed once as a whole
    bool is_unavailable = false;  ///< an optional kind that the server lacks or forbids
    std::size_t objects = 0;
    std::size_t unreadable = 0;  ///< objects with a last version that could not be decoded
    std::string resource_version{};
    std::optional<Time> last_heard{};  ///< the last byte from the server, bookmarks included
    std::uint64_t relists = 0;
    std::optional<Error> trouble{};  ///< the present failure
};

/// Receives the objects of a reflector. Objects are valid during the call alone.
class KindStore {
public:
    virtual ~KindStore() = default;
    /// A list begins: set() follows for each object. Objects that are not set until
    /// finish_replace() no longer exist. Called again if a list was cut off and begins again; the
    /// set() calls of the list that was cut off then do not count.
    virtual void begin_replace() = 0;
    virtual void finish_replace() = 0;
    virtual void set(const boost::json::value& object) = 0;
    virtual void remove(const boost::json::value& object) = 0;
    /// The store is up to date with the server: the watch is open, or was open until now.
    virtual void confirm() {}
    /// The end of a batch of calls, and the moment to notify others of changes.
    virtual void settle() = 0;
};

/// Keeps a store up to date with one collection of an API server, as client-go's Reflector does: a
/// list gives all objects and a resourceVersion, and a watch from that version gives each change
/// since. A watch that ends is opened again from the last version seen; only a version that the
/// server no longer has, or a watch that cannot be trusted, needs another list. Used on the loop's
/// thread alone.
class Reflector {
public:
    struct Options {
        WatchTarget what{};
        bool is_optional = false;                 ///< the server may lack or forbid the kind
        const KeptMembers* kept = &field_mask();  ///< members of its objects; NULL: all
        std::int64_t page = 500;                  ///< objects in a page of a list
        bool watch_list = true;  ///< streams initial events; lists if the server refuses that
        /// Lists page by page, never all at once: for a store that pauses.
        bool only_pages = false;
        std::uint64_t seed = 0;  ///< of jitter
        /// A list or watch failed. Called once until the failure is over, and again if the error's
        /// code changes. An expired version is reported from the third expiry within a minute on;
        /// right after an outage, from the sixth on.
        std::function<void(const Error&)> on_error{};
    };
    /// Borrows api, loop and store.
    Reflector(Api& api, io::Loop& loop, KindStore& store, Options options);
    Reflector(const Reflector&) = delete;
    Reflector& operator=(const Reflector&) = delete;
    /// Cancels the open request; no callback runs afterwards.
    ~Reflector();

    void start();
    /// Sends no further request. Objects that have come already still reach the store. The store
    /// may call this.
    void pause();
    /// Continues from where pause() stopped.
    void resume();
    /// Ends an open watch, which has missed an object, and lists again. False: no watch is open,
    /// and nothing changes; the request under way, or the next one, will give the object. A wait
    /// that the server asked for is not cut short.
    bool relist();
    bool has_synced() const noexcept;
    bool is_unavailable() const noexcept;
    /// How long ago the store was last known to be up to date: zero while a watch is open.
    Duration age() const;
    /// Whether a watch is open, or the last one ended in the ordinary way up to `after_end` ago.
    /// After any other end, and during a new list, the store may lack changes.
    bool is_in_touch(Duration after_end) const;
    /// The members `kind`, `objects` and `unreadable` are left empty: only the store knows them.
    ReflectorStatus status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
