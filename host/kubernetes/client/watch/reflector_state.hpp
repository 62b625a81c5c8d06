/// What a reflector is about to do, and how that changes with what it hears.
///
///     listing or starting --all are here--> watching --timeout of the server--> watching
///          ^                                    |
///          +------ waiting <---- setback -------+
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/watch/reflector.hpp"
#include "kubernetes/client/watch/watch_error.hpp"
#include "kubernetes/client/watch_backoff.hpp"
#include "kubernetes/field_mask.hpp"
#include "kubernetes/item_builder.hpp"
#include "kubernetes/object_stream.hpp"

namespace capstan::kubernetes::client {

// Lists and watches as an API server writes them, object by object while they come in.

/// Receives the objects, in the order of the text. They are valid during the call alone.
class WatchSink {
public:
    virtual ~WatchSink() = default;
    /// One of a list; null where it is no object.
    virtual void take_item(const boost::json::value& object) = 0;
    /// What a watch tells: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. `type` is empty and
    /// `object` null where a line says no such thing.
    virtual void take_event(std::string_view type, const boost::json::value& object) = 0;
};

/// What a page of a list says of the list.
struct PageEnd {
    std::string resource_version{};
    std::string next{};  ///< token of the page that follows; empty: this was the last
};

/// [one thread] Reads one reply: a page of a list, or the lines of a watch. Never has more than one
/// object in memory.
class WatchReader {
public:
    /// Borrows the sink, which must not end this reader while it is told something. Members of
    /// objects that are not among `kept` are never built; NULL: all are kept.
    explicit WatchReader(WatchSink& sink, const KeptMembers* kept = &field_mask());
    WatchReader(const WatchReader&) = delete;
    WatchReader& operator=(const WatchReader&) = delete;
    ~WatchReader();

    /// A piece of any size. Fails where the text is no JSON, and from then on.
    Result<void> feed(std::string_view piece);
    /// The end of a page. Fails where the text is none, or ended too early.
    Result<PageEnd> finish_page();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Finds the objects of lists and watches among the events of a JSON parser.

/// Of two shapes of documents: {"metadata":{..},"items":[{..},..]} and {"type":"..","object":{..}}.
/// Members may stand in any order.
class WatchEvents : public ParserEvents<WatchEvents> {
public:
    WatchEvents(WatchSink& sink, const KeptMembers* kept) : sink_(sink), builder_(kept) {}

    const PageEnd& page() const noexcept { return page_; }
    bool is_page() const noexcept { return is_page_; }

private:
    friend class ParserEvents<WatchEvents>;
    /// What the next event is part of, unless an object is being built.
    enum class Place : std::uint8_t { outside, document, metadata, items };

    void begin(bool is_array);
    void end();
    void key(std::string_view key);
    void text_part(std::string_view part);
    void text(std::string_view rest);
    void scalar(const boost::json::value& value);

    void begin_member(bool is_array);
    void begin_object();
    void end_object();
    void end_document();
    std::string* wanted_text();

    WatchSink& sink_;
    ItemBuilder builder_;
    Place place_ = Place::outside;
    std::string key_;
    std::string type_;
    bool has_object_ = false;  ///< of an event: the builder holds it
    bool is_page_ = false;
    PageEnd page_;
};

struct Reflector::State final : WatchSink {
    enum class Phase : std::uint8_t {
        waiting,   ///< for a timer, or the start
        listing,   ///< page by page
        starting,  ///< a watch that tells all objects first
        watching,
    };
    enum class Step : std::uint8_t { list, page, watch };
    State(Api& api, io::Loop& loop, KindStore& store, Options options);
    ~State() override;

    // What to do: each drops what was done before.
    void list();
    void list_page();
    void watch();
    void go_on(Step step);
    void wait(Duration delay);
    void wake_on_answer();
    void open(ApiRequest request, Phase to);
    void drop();

    // What comes back.
    void take_part(std::string_view part);
    /// Nothing, unless the list under way is longer than any can be.
    std::optional<Error> endless_error() const;
    void take_end(const Result<ApiReply>& reply);
    void take_item(const boost::json::value& object) override;
    void take_event(std::string_view type, const boost::json::value& object) override;
    void take_bookmark(const boost::json::value& object);
    void take_change(std::string_view type, const boost::json::value& object);
    void see_version(const boost::json::value& object);
    void take_good_end();
    void end_page();
    void end_watch();
    void begin_replace();
    void finish_replace(std::string new_version);
    ListFrom list_from(ListFrom wanted) const noexcept;

    // What went wrong.
    void set_back(const Error& error, WatchError what);
    void choose_next(Phase during, WatchError what);
    bool lists_after(WatchError what);
    ListFrom next_from(Phase during, WatchError what) const;
    void leave_watch(WatchError what);
    void tell(const Error& error);
    void become_absent();

    void take_silence(WatchSilence::Meaning meaning);
    /// The watch is open beyond doubt.
    bool is_in_touch() const;
    void hear();
    std::string what_is_done() const;

    Api& api;
    io::Loop& loop;
    KindStore& store;
    const Options options;
    WatchBackoff backoff;
    io::RandomSource random;

    Phase phase = Phase::waiting;
    bool uses_watch_list;
    Step next = Step::list;  ///< after the wait, or when it goes on
    ListFrom from;
    std::string version{};  ///< the last one seen; empty: none
    std::string next_page{};
    bool is_replacing = false;
    bool is_paused = false;

    std::optional<Api::RequestId> request{};
    std::optional<io::TimerId> timer{};
    AnswerBell::Subscription on_answer{};  ///< ends the wait
    int wakes = 0;                         ///< since a list, an event or a watch that was open
    /// Callbacks of what has been dropped find it gone.
    std::shared_ptr<char> present = std::make_shared<char>();
    std::optional<WatchReader> reader{};
    std::optional<std::pair<Error, WatchError>> stream_setback{};
    WatchSilence silence;
    Duration opened{};
    bool is_answered = false;             ///< the request, if only with a head
    std::size_t changes = 0, events = 0;  ///< in this stream; events: bookmarks included
    std::size_t unread_bytes = 0;         ///< of an object that is not yet here as a whole
    std::uint64_t listed_bytes = 0;       ///< of the list or page that is under way

    bool has_synced = false, is_unavailable = false;
    std::uint64_t relists = 0;
    Duration as_of{};             ///< when the store was as the server is; see age()
    bool has_ended_well = false;  ///< the last watch, and nothing has gone wrong since
    std::optional<Time> last_heard{};
    std::optional<Duration> failing_since{};
    std::optional<Duration> lost_at{};  ///< when the server last did not answer, or failed
    std::optional<Error> trouble{};
};

}  // namespace capstan::kubernetes::client
