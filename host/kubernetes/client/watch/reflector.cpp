#include "kubernetes/client/watch/reflector.hpp"

#include <utility>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>
#include <capstan/whole_number.hpp>

#include "io/printable.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/watch/reflector_state.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration silence_starting = 30s;
constexpr Duration silence_listing = 60s;
/// Jitter, so that the reflectors of all kinds do not send their requests at once.
constexpr Duration woken_within = 1s;
constexpr int most_wakes = 5;
/// Ten times what a server stores.
constexpr std::size_t object_limit = std::size_t{16} << 20;
/// A list beyond these limits counts as endless. All pods of the largest clusters are 3 GiB.
constexpr Duration list_time_max = 10min;
/// A streaming list that has not ended by then is replaced by a LIST. The server may not know the
/// end of initial events, and a LIST ends by itself.
constexpr Duration initial_events_max = 1min;
constexpr std::uint64_t list_bytes_max = std::uint64_t{8} << 30;

constexpr std::size_t kind_size_max = 64;  ///< in messages

/// Whether version `a` is before `b`. False also if one of them is not a number.
bool is_older(std::string_view a, std::string_view b) {
    const std::optional<std::int64_t> left = find_whole_number(a), right = find_whole_number(b);
    return left && right && *left < *right;
}

std::string version_of(const boost::json::value& object) {
    return std::string(base::text_at(object, "metadata.resourceVersion"));
}

}  // namespace

Reflector::State::State(Api& to, io::Loop& on, KindStore& into, Options how)
    : api(to),
      loop(on),
      store(into),
      options(std::move(how)),
      backoff(io::seed_for(options.seed, "backoff")),
      random(io::seed_for(options.seed, "timeout")),
      uses_watch_list(options.watch_list && !options.only_pages),
      from(list_from(ListFrom::cache)),
      silence(loop, [this](WatchSilence::Meaning meaning) { take_silence(meaning); }) {}

Reflector::State::~State() { drop(); }

void Reflector::State::list() {
    if (has_synced) ++relists;
    is_replacing = false;
    next_page.clear();
    if (!uses_watch_list) return list_page();
    const auto timeout =
        std::chrono::duration_cast<std::chrono::seconds>(with_jitter(random, 300s, 300s));
    const std::string since = from == ListFrom::last_seen ? version : std::string();
    watch_timeout = timeout;
    open(watch_list_request(options.what, since, timeout), Phase::starting);
}

void Reflector::State::list_page() {
    open(list_request(options.what, from, version, next_page, options.page), Phase::listing);
}

void Reflector::State::watch() {
    // With jitter: clients of a restarted server would otherwise reopen their watches together each
    // time.
    const auto timeout =
        std::chrono::duration_cast<std::chrono::seconds>(with_jitter(random, 300s, 300s));
    watch_timeout = timeout;
    open(watch_request(options.what, version, timeout), Phase::watching);
}

void Reflector::State::continue_with(Step step) {
    next = step;
    if (is_paused) return drop();
    switch (step) {
        case Step::list: return list();
        case Step::page: return list_page();
        case Step::watch: return watch();
    }
}

void Reflector::State::wait(Duration delay) {
    drop();
    timer = loop.after(delay, [this, weak = std::weak_ptr(alive)] {
        if (weak.expired()) return;
        timer.reset();
        continue_with(next);
    });
}

/// Ends the wait as soon as any request succeeds: a server that answers one request again will
/// likely answer this reflector, too. The number of early ends in a row is limited, because the
/// server may answer other requests and fail only this one.
void Reflector::State::wake_on_answer() {
    if (wakes == most_wakes) return;
    on_answer = api.success_notifier().subscribe([this] {
        ++wakes;
        wait(with_jitter(random, 0s, woken_within));
    });
}

void Reflector::State::open(ApiRequest asked, Phase to) {
    drop();
    phase = to;
    is_answered = false;
    changes = events = unread_bytes = 0;
    listed_bytes = 0;
    opened = loop.monotonic();
    stream_error.reset();
    reader.emplace(*this, options.kept);
    const std::weak_ptr weak(alive);
    request = api.stream(
        std::move(asked),
        [this, weak](std::string_view part) {
            if (!weak.expired()) take_part(part);
        },
        [this, weak](const Result<ApiReply>& reply) {
            if (!weak.expired()) take_end(reply);
        });
    if (to == Phase::watching) return silence.begin_watch();
    silence.begin(to == Phase::starting ? silence_starting : silence_listing);
}

void Reflector::State::drop() {
    phase = Phase::waiting;
    silence.end();
    alive = std::make_shared<char>();
    for (auto* const open : {&request, &version_check})
        if (const auto id = std::exchange(*open, std::nullopt)) api.cancel(*id);
    if (const auto id = std::exchange(timer, std::nullopt)) loop.cancel(*id);
    on_answer.reset();
}

void Reflector::State::check_version() {
    // Events that come before the reply may be newer than it.
    version_check = api.send(
        version_request(options.what),
        [this, weak = std::weak_ptr(alive), seen = version](const Result<ApiReply>& reply) {
            if (!weak.expired()) take_version(reply, seen);
        });
}

/// Without a reply, only the silence of the watch shows that the version is too large.
void Reflector::State::take_version(const Result<ApiReply>& reply, const std::string& seen) {
    version_check.reset();
    const Result<boost::json::object> list = parse_object(reply);
    if (!list) return;
    is_version_doubtful = false;
    const std::string present = version_of(*list);
    if (!is_older(present, seen)) return;
    handle_error({ErrorCode::conflict, describe_request() + ": the server is at version " +
                                           present + ", before " + seen},
                 WatchError::too_large);
    store.settle();
}

void Reflector::State::take_part(std::string_view part) {
    mark_alive();
    if (!std::exchange(is_answered, true) && phase == Phase::watching && is_version_doubtful)
        check_version();
    if (part.empty()) return;
    unread_bytes += part.size();
    listed_bytes += part.size();
    const Result<void> fed = present_reader().feed(part);
    // Errors of the stream are handled here, because the reader must not be destroyed while it
    // reads.
    if (const auto found = std::exchange(stream_error, std::nullopt)) {
        handle_error(found->first, found->second);
    } else if (!fed) {
        handle_error(within(describe_request(), fed.error()), WatchError::broken);
    } else if (unread_bytes > object_limit) {
        handle_error({ErrorCode::quota, describe_request() + ": an object is larger than 16 MiB"},
                     WatchError::broken);
    } else if (const auto error = endless_error()) {
        handle_error(*error, WatchError::broken);
    } else if (is_paused && phase == Phase::watching) {
        continue_with(Step::watch);
    }
    store.settle();
}

std::optional<Error> Reflector::State::endless_error() const {
    if (phase != Phase::listing && phase != Phase::starting) return std::nullopt;
    const bool is_too_long = listed_bytes > list_bytes_max;
    const Duration limit = phase == Phase::starting ? initial_events_max : list_time_max;
    if (!is_too_long && loop.monotonic() - opened <= limit) return std::nullopt;
    return Error{ErrorCode::quota, describe_request() + ": has not ended after " +
                                       std::to_string(listed_bytes >> 20) + " MiB in " +
                                       format_rough_duration(loop.monotonic() - opened)};
}

void Reflector::State::take_end(const Result<ApiReply>& reply) {
    request.reset();
    if (!reply) {
        handle_error(reply.error(), classify_watch_error(reply.error()));
    } else {
        mark_alive();
        take_good_end();
    }
    store.settle();
}

void Reflector::State::take_good_end() {
    if (phase == Phase::listing) return end_page();
    if (phase == Phase::watching) return end_watch();
    handle_error({ErrorCode::unavailable,
                  describe_request() + ": ended before the initial-events-end bookmark"},
                 WatchError::broken);
}

void Reflector::State::end_page() {
    const Result<PageEnd> page = present_reader().finish_page();
    if (!page) return handle_error(within(describe_request(), page.error()), WatchError::broken);
    if (options.what.resource) {
        const auto checked = check_list_kind(*options.what.resource, page->api_version, page->kind);
        if (!checked)
            return handle_error(within(describe_request(), checked.error()), WatchError::broken);
    }
    next_page = page->next;
    if (!next_page.empty()) return continue_with(Step::page);
    if (page->resource_version.empty())
        return handle_error(
            {ErrorCode::invalid_argument, describe_request() + ": the list has no resourceVersion"},
            WatchError::broken);
    finish_replace(page->resource_version);
    continue_with(Step::watch);
}

void Reflector::State::end_watch() {
    // Ordinarily this is the server's timeout. A server that ends each watch at once is treated as
    // failing, or the requests would follow each other without a pause.
    if (changes == 0 && loop.monotonic() - opened < 1s)
        return handle_error(
            {ErrorCode::unavailable, describe_request() + ": ended immediately without an event"},
            WatchError::busy);
    trouble.reset();
    wakes = 0;
    as_of = loop.monotonic();
    has_ended_well = true;
    if (loop.monotonic() - opened < watch_timeout) is_version_doubtful = true;
    store.confirm();
    continue_with(Step::watch);
}

void Reflector::State::take_item(const boost::json::value& object) {
    unread_bytes = 0;
    if (stream_error) return;
    if (!object.is_object()) {
        stream_error.emplace(
            Error{ErrorCode::invalid_argument, describe_request() + ": an item is not an object"},
            WatchError::broken);
        return;
    }
    begin_replace();
    store.set(object);
}

void Reflector::State::take_event(std::string_view type, const boost::json::value& object) {
    unread_bytes = 0;
    if (stream_error) return;  // events after an error are ignored
    if (type == "ERROR") {
        Error error = error_of_event(describe_request(), object);
        const WatchError what = classify_watch_error(error);
        stream_error.emplace(std::move(error), what);
    } else if (std::optional<Error> other = kind_error(object)) {
        stream_error.emplace(*std::move(other), WatchError::broken);
    } else if (type == "BOOKMARK") {
        take_bookmark(object);
    } else if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
        take_change(type, object);
    } else {
        Error error{ErrorCode::invalid_argument,
                    describe_request() + ": a line is not a watch event"};
        stream_error.emplace(std::move(error), WatchError::broken);
    }
}

std::optional<Error> Reflector::State::kind_error(const boost::json::value& object) const {
    const std::string_view kind = base::text_at(object, "kind");
    const std::optional<ApiResource>& expected = options.what.resource;
    if (!expected || kind.empty() || kind == expected->kind) return std::nullopt;
    return Error{ErrorCode::unavailable, describe_request() + ": an event has an object of kind " +
                                             io::printable(kind, kind_size_max) + ", expected " +
                                             std::string(expected->kind)};
}

void Reflector::State::take_bookmark(const boost::json::value& object) {
    ++events;
    if (phase == Phase::watching) {
        silence.expect_bookmarks();
        observe_version(object);
        store.confirm();
    } else if (base::annotation_of(object, well_known::initial_events_end_annotation) == "true") {
        finish_replace(version_of(object));
        phase = Phase::watching;
        silence.begin_watch();
        silence.expect_bookmarks();  // a server that sends this one sends others, too
    } else {
        // The first bookmark of a server that knows streaming lists is the one at their end.
        stream_error.emplace(Error{ErrorCode::unsupported,
                                   describe_request() + ": the server sends no initial events"},
                             WatchError::refused);
    }
}

void Reflector::State::take_change(std::string_view type, const boost::json::value& object) {
    ++events;
    ++changes;
    // Initial events are not ordered by version, so a watch cannot continue from one of them.
    if (phase == Phase::starting) {
        begin_replace();
    } else {
        observe_version(object);
    }
    type == "DELETED" ? store.remove(object) : store.set(object);
    if (phase == Phase::watching) store.confirm();
}

void Reflector::State::observe_version(const boost::json::value& object) {
    wakes = 0;
    failing_since.reset();
    std::string seen = version_of(object);
    if (!seen.empty()) version = std::move(seen);
}

void Reflector::State::begin_replace() {
    if (!std::exchange(is_replacing, true)) store.begin_replace();
}

void Reflector::State::finish_replace(std::string new_version) {
    begin_replace();  // not called yet where the list is empty
    store.finish_replace();
    is_replacing = false;
    version = std::move(new_version);
    is_version_doubtful = false;
    wakes = 0;
    from = list_from(ListFrom::last_seen);
    has_synced = true;
    is_unavailable = false;
    as_of = loop.monotonic();
}

/// A list from the server's cache is one whole reply, whatever `limit` says, so a reflector that
/// needs pages lists from the database.
ListFrom Reflector::State::list_from(ListFrom wanted) const noexcept {
    return options.only_pages ? ListFrom::newest : wanted;
}

Reflector::Reflector(Api& api, io::Loop& loop, KindStore& store, Options options)
    : state_(std::make_unique<State>(api, loop, store, std::move(options))) {}
Reflector::~Reflector() = default;

void Reflector::start() { state_->continue_with(State::Step::list); }
bool Reflector::relist() {
    if (!state_->is_in_touch()) return false;
    state_->leave_watch(WatchError::busy);
    state_->from = state_->list_from(ListFrom::newest);
    state_->continue_with(State::Step::list);
    return true;
}
void Reflector::pause() { state_->is_paused = true; }

void Reflector::resume() {
    if (!std::exchange(state_->is_paused, false)) return;
    if (!state_->request && !state_->timer) state_->continue_with(state_->next);
}

bool Reflector::has_synced() const noexcept { return state_->has_synced; }
bool Reflector::is_unavailable() const noexcept { return state_->is_unavailable; }

Duration Reflector::age() const {
    return state_->is_in_touch() ? Duration{0} : state_->loop.monotonic() - state_->as_of;
}

bool Reflector::is_in_touch(Duration after_end) const {
    return state_->is_in_touch() || (state_->has_ended_well && age() <= after_end);
}

ReflectorStatus Reflector::status() const {
    return {.has_synced = state_->has_synced,
            .is_unavailable = state_->is_unavailable,
            .resource_version = state_->version,
            .last_heard = state_->last_heard,
            .relists = state_->relists,
            .trouble = state_->is_in_touch() ? std::nullopt : state_->trouble};
}

}  // namespace capstan::kubernetes::client
