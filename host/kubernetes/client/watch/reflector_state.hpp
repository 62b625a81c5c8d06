/// The state machine of a reflector.
///
///     listing or starting --list complete--> watching --timeout of the server--> watching
///          ^                                     |
///          +------ waiting <---- error ----------+
///
/// After some errors the wait leads back to `watching` from the last version seen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/assert.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/watch/reflector.hpp"
#include "kubernetes/client/watch/watch_error.hpp"
#include "kubernetes/client/watch/watch_reader.hpp"
#include "kubernetes/client/watch_backoff.hpp"

namespace capstan::kubernetes::client {

struct Reflector::State final : WatchSink {
    enum class Phase : std::uint8_t {
        waiting,   ///< for a timer, for resume(), or for start()
        listing,   ///< a list, page by page
        starting,  ///< a streaming list, before the end of its initial events
        watching,
    };
    enum class Step : std::uint8_t { list, page, watch };
    State(Api& api, io::Loop& loop, KindStore& store, Options options);
    ~State() override;

    // Requests and waits. Each function except wake_on_answer() first ends the request or wait
    // under way.
    void list();
    void list_page();
    void watch();
    void continue_with(Step step);
    void wait(Duration delay);
    void wake_on_answer();
    void open(ApiRequest request, Phase to);
    void drop();
    /// Asks for the server's present version, to compare it with `version`.
    void check_version();
    WatchReader& present_reader() {
        CAPSTAN_ASSERT(reader, "an open request has no reader");
        return *reader;
    }

    // Replies.
    void take_part(std::string_view part);
    /// Absent: the list under way is within the limits of size and time, or no list is under way.
    std::optional<Error> endless_error() const;
    void take_end(const Result<ApiReply>& reply);
    /// The reply of check_version(), which was sent when `seen` was the last version.
    void take_version(const Result<ApiReply>& reply, const std::string& seen);
    void take_item(const boost::json::value& object) override;
    void take_event(std::string_view type, const boost::json::value& object) override;
    /// Absent: the object of the event has the kind that is watched, or no kind.
    std::optional<Error> kind_error(const boost::json::value& object) const;
    void take_bookmark(const boost::json::value& object);
    void take_change(std::string_view type, const boost::json::value& object);
    void observe_version(const boost::json::value& object);
    /// A reply of 2xx has ended.
    void take_good_end();
    void end_page();
    void end_watch();
    void begin_replace();
    void finish_replace(std::string new_version);
    ListFrom list_from(ListFrom wanted) const noexcept;

    // Errors.
    void handle_error(const Error& error, WatchError what);
    void choose_next(Phase during, WatchError what);
    bool lists_after(WatchError what);
    ListFrom next_from(Phase during, WatchError what) const;
    void leave_watch(WatchError what);
    void report_trouble(const Error& error);
    void become_absent();

    void take_silence(WatchSilence::Meaning meaning);
    /// A watch is open, and the server has sent at least its head.
    bool is_in_touch() const;
    void mark_alive();
    /// The request under way, for messages: "list pods".
    std::string describe_request() const;

    Api& api;
    io::Loop& loop;
    KindStore& store;
    const Options options;
    WatchBackoff backoff;
    io::RandomSource random;

    Phase phase = Phase::waiting;
    bool uses_watch_list;
    Step next = Step::list;  ///< what follows the wait, or resume()
    ListFrom from;
    std::string version{};  ///< the last one seen; empty: none
    /// A watch has ended before its time since `version` was seen. The server may have been
    /// restored from a backup: it opens a watch from a version that it has not reached, and sends
    /// nothing.
    bool is_version_doubtful = false;
    std::string next_page{};
    bool is_replacing = false;
    bool is_paused = false;

    std::optional<Api::RequestId> request{};
    std::optional<Api::RequestId> version_check{};  ///< beside an open watch
    std::optional<io::TimerId> timer{};
    SuccessNotifier::Subscription on_answer{};  ///< ends the wait
    int wakes = 0;  ///< early ends of waits since the last list, event or open watch
    /// Callbacks of a dropped request or timer hold a weak_ptr to it, which has expired.
    std::shared_ptr<char> alive = std::make_shared<char>();
    std::optional<WatchReader> reader{};
    std::optional<std::pair<Error, WatchError>> stream_error{};  ///< found while the reader reads
    WatchSilence silence;
    Duration opened{};                    ///< when the request began
    Duration watch_timeout{};             ///< after which the server ends the watch
    bool is_answered = false;             ///< at least the reply's head has come
    std::size_t changes = 0, events = 0;  ///< in this stream; events: bookmarks included
    std::size_t unread_bytes = 0;         ///< since the last complete object
    std::uint64_t listed_bytes = 0;       ///< of the list or page that is under way

    bool has_synced = false, is_unavailable = false;
    std::uint64_t relists = 0;
    Duration as_of{};             ///< when the store was last up to date; see age()
    bool has_ended_well = false;  ///< the last watch ended in the ordinary way, without error since
    std::optional<Time> last_heard{};
    std::optional<Duration> failing_since{};
    std::optional<Duration> lost_at{};  ///< when the server last failed, or did not answer
    std::optional<Error> trouble{};
};

}  // namespace capstan::kubernetes::client
