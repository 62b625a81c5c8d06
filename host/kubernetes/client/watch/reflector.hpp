/// Follows one collection: lists it once, then watches it for as long as the process lives.
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

/// How one kind is followed.
struct ReflectorStatus {
    std::string kind{};
    bool has_synced = false;      ///< all its objects have been here once
    bool is_unavailable = false;  ///< an optional kind that this server has not, or keeps from us
    std::size_t objects = 0;
    std::size_t unreadable = 0;  ///< of which the last version could not be decoded
    std::string resource_version{};
    std::optional<Time> last_heard{};  ///< from the server, bookmarks included
    std::uint64_t relists = 0;
    std::optional<Error> trouble{};  ///< what the last request came back with, while it lasts
};

/// Where a reflector puts what it hears. Objects are valid during the call alone.
class KindStore {
public:
    virtual ~KindStore() = default;
    /// All objects follow; what has not been set when finish_replace() comes is gone. Comes again
    /// where a list was cut off and has to begin anew: what was set in vain does not count.
    virtual void begin_replace() = 0;
    virtual void finish_replace() = 0;
    virtual void set(const boost::json::value& object) = 0;
    virtual void remove(const boost::json::value& object) = 0;
    /// What has been told is how the server is: its watch is open, or was until now.
    virtual void confirm() {}
    /// Everything that came together has been told: the moment to wake others.
    virtual void settle() = 0;
};

/// Used on the loop's thread alone.
class Reflector {
public:
    struct Options {
        Followed what{};
        bool is_optional = false;                 ///< a server may lack it, or not let us see it
        const KeptMembers* kept = &field_mask();  ///< of its objects; NULL: all members
        std::int64_t page = 500;                  ///< objects in a page of a list
        bool watch_list = true;  ///< asks for initial events first; lists where that is refused
        /// Lists page by page, never all at once: for a store that pauses.
        bool only_pages = false;
        std::uint64_t seed = 0;  ///< of jitter
        /// What went wrong, once until it is over. A version that is no longer kept is told from
        /// the third time within a minute on, right after an outage from the sixth.
        std::function<void(const Error&)> on_trouble{};
    };
    /// Borrows api, loop and store.
    Reflector(Api& api, io::Loop& loop, KindStore& store, Options options);
    Reflector(const Reflector&) = delete;
    Reflector& operator=(const Reflector&) = delete;
    /// Cancels what is open; no callback runs afterwards.
    ~Reflector();

    void start();
    /// Asks for nothing more; what has come already is still told. Also from within the store.
    void pause();
    /// Goes on where it was.
    void resume();
    /// Lists anew where a watch is open, for it has not told of all there is. False: none is, so
    /// what is under way, or comes after a wait, tells that anyway; a wait that the server asked
    /// for is not cut short.
    bool relist();
    bool has_synced() const noexcept;
    bool is_unavailable() const noexcept;
    /// How long ago the store was last known to be as the server is: zero while a watch is open.
    Duration age() const;
    /// A watch is open, or the last one came to its ordinary end no longer ago than that. After any
    /// other end, or while all is listed anew, something may have happened unseen.
    bool is_in_touch(Duration after_end) const;
    /// Without what only the store knows: kind, objects, unreadable.
    ReflectorStatus status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
