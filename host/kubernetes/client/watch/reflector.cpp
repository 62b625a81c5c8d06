#include "kubernetes/client/watch/reflector.hpp"

#include <utility>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/watch/reflector_state.hpp"
#include "kubernetes/metadata.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration silence_starting = 30s;
constexpr Duration silence_listing = 60s;
/// By chance, or all kinds would come at once.
constexpr Duration woken_within = 1s;
constexpr int most_wakes = 5;
/// Ten times what a server stores.
constexpr std::size_t object_limit = std::size_t{16} << 20;
/// What takes longer, or is longer, has no end: all pods of the largest clusters are 3 GiB.
constexpr Duration list_time_max = 10min;
constexpr std::uint64_t list_bytes_max = std::uint64_t{8} << 30;

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
    open(watch_list_request(options.what, since, timeout), Phase::starting);
}

void Reflector::State::list_page() {
    open(list_request(options.what, from, version, next_page, options.page), Phase::listing);
}

void Reflector::State::watch() {
    // Not all at once, or all clients of a server that was restarted would ever come together.
    const auto timeout =
        std::chrono::duration_cast<std::chrono::seconds>(with_jitter(random, 300s, 300s));
    open(watch_request(options.what, version, timeout), Phase::watching);
}

void Reflector::State::go_on(Step step) {
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
    timer = loop.after(delay, [this, here = std::weak_ptr(present)] {
        if (here.expired()) return;
        timer.reset();
        go_on(next);
    });
}

/// A server that answers one request again is there for all, so no reflector waits out the rest of
/// its back-off. That is allowed seldom in a row, for the server may answer others and fail here.
void Reflector::State::wake_on_answer() {
    if (wakes == most_wakes) return;
    on_answer = api.answer_bell().subscribe([this] {
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
    stream_setback.reset();
    reader.emplace(*this, options.kept);
    const std::weak_ptr here(present);
    request = api.stream(
        std::move(asked),
        [this, here](std::string_view part) {
            if (!here.expired()) take_part(part);
        },
        [this, here](const Result<ApiReply>& reply) {
            if (!here.expired()) take_end(reply);
        });
    if (to == Phase::watching) return silence.begin_watch();
    silence.begin(to == Phase::starting ? silence_starting : silence_listing);
}

void Reflector::State::drop() {
    phase = Phase::waiting;
    silence.end();
    present = std::make_shared<char>();
    if (const auto id = std::exchange(request, std::nullopt)) api.cancel(*id);
    if (const auto id = std::exchange(timer, std::nullopt)) loop.cancel(*id);
    on_answer.reset();
}

void Reflector::State::take_part(std::string_view part) {
    hear();
    is_answered = true;
    if (part.empty()) return;
    unread_bytes += part.size();
    listed_bytes += part.size();
    const Result<void> fed = reader->feed(part);
    // Only now, for the reader must not be ended while it reads.
    if (const auto setback = std::exchange(stream_setback, std::nullopt)) {
        set_back(setback->first, setback->second);
    } else if (!fed) {
        set_back(within(what_is_done(), fed.error()), WatchError::broken);
    } else if (unread_bytes > object_limit) {
        set_back({ErrorCode::quota, what_is_done() + ": an object of more than 16 MiB"},
                 WatchError::broken);
    } else if (const auto error = endless_error()) {
        set_back(*error, WatchError::broken);
    } else if (is_paused && phase == Phase::watching) {
        go_on(Step::watch);
    }
    store.settle();
}

std::optional<Error> Reflector::State::endless_error() const {
    if (phase != Phase::listing && phase != Phase::starting) return std::nullopt;
    const bool is_too_long = listed_bytes > list_bytes_max;
    if (!is_too_long && loop.monotonic() - opened <= list_time_max) return std::nullopt;
    return Error{ErrorCode::quota, what_is_done() + ": no end after " +
                                       std::to_string(listed_bytes >> 20) + " MiB in " +
                                       format_rough_duration(loop.monotonic() - opened)};
}

void Reflector::State::take_end(const Result<ApiReply>& reply) {
    request.reset();
    if (!reply) {
        set_back(reply.error(), setback_of(reply.error()));
    } else {
        hear();
        take_good_end();
    }
    store.settle();
}

void Reflector::State::take_good_end() {
    if (phase == Phase::listing) return end_page();
    if (phase == Phase::watching) return end_watch();
    set_back({ErrorCode::unavailable, what_is_done() + ": ended before all had been told"},
             WatchError::broken);
}

void Reflector::State::end_page() {
    const Result<PageEnd> page = reader->finish_page();
    if (!page) return set_back(within(what_is_done(), page.error()), WatchError::broken);
    next_page = page->next;
    if (!next_page.empty()) return go_on(Step::page);
    if (page->resource_version.empty())
        return set_back({ErrorCode::invalid_argument,
                         what_is_done() + ": the list has no resourceVersion to go on from"},
                        WatchError::broken);
    finish_replace(page->resource_version);
    go_on(Step::watch);
}

void Reflector::State::end_watch() {
    // The server's timeout; but one that closes at once would be asked without end.
    if (changes == 0 && loop.monotonic() - opened < 1s)
        return set_back(
            {ErrorCode::unavailable, what_is_done() + ": ended at once, without an event"},
            WatchError::busy);
    trouble.reset();
    wakes = 0;
    as_of = loop.monotonic();
    has_ended_well = true;
    store.confirm();
    go_on(Step::watch);
}

void Reflector::State::take_item(const boost::json::value& object) {
    unread_bytes = 0;
    if (stream_setback) return;
    if (!object.is_object()) {
        stream_setback.emplace(
            Error{ErrorCode::invalid_argument, what_is_done() + ": an item that is no object"},
            WatchError::broken);
        return;
    }
    begin_replace();
    store.set(object);
}

void Reflector::State::take_event(std::string_view type, const boost::json::value& object) {
    unread_bytes = 0;
    if (stream_setback) return;  // what follows an error means nothing
    if (type == "ERROR") {
        Error error = error_of_event(what_is_done(), object);
        const WatchError what = setback_of(error);
        stream_setback.emplace(std::move(error), what);
    } else if (type == "BOOKMARK") {
        take_bookmark(object);
    } else if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
        take_change(type, object);
    } else {
        Error error{ErrorCode::invalid_argument, what_is_done() + ": a line that is no event"};
        stream_setback.emplace(std::move(error), WatchError::broken);
    }
}

void Reflector::State::take_bookmark(const boost::json::value& object) {
    ++events;
    if (phase == Phase::watching) {
        silence.expect_bookmarks();
        see_version(object);
        store.confirm();
    } else if (base::annotation_of(object, well_known::initial_events_end_annotation) == "true") {
        finish_replace(version_of(object));
        phase = Phase::watching;
        silence.begin_watch();
        silence.expect_bookmarks();  // a server that sends this one sends others, too
    }
}

void Reflector::State::take_change(std::string_view type, const boost::json::value& object) {
    ++events;
    ++changes;
    // Versions of initial events are in no order, so none of them is a place to go on from.
    if (phase == Phase::starting) {
        begin_replace();
    } else {
        see_version(object);
    }
    type == "DELETED" ? store.remove(object) : store.set(object);
    if (phase == Phase::watching) store.confirm();
}

void Reflector::State::see_version(const boost::json::value& object) {
    wakes = 0;
    failing_since.reset();
    std::string seen = version_of(object);
    if (!seen.empty()) version = std::move(seen);
}

void Reflector::State::begin_replace() {
    if (!std::exchange(is_replacing, true)) store.begin_replace();
}

void Reflector::State::finish_replace(std::string new_version) {
    begin_replace();  // of an empty list
    store.finish_replace();
    is_replacing = false;
    version = std::move(new_version);
    wakes = 0;
    from = list_from(ListFrom::last_seen);
    has_synced = true;
    is_unavailable = false;
    as_of = loop.monotonic();
}

/// From its cache a server answers with one whole list, whatever the limit says.
ListFrom Reflector::State::list_from(ListFrom wanted) const noexcept {
    return options.only_pages ? ListFrom::newest : wanted;
}

Reflector::Reflector(Api& api, io::Loop& loop, KindStore& store, Options options)
    : state_(std::make_unique<State>(api, loop, store, std::move(options))) {}
Reflector::~Reflector() = default;

void Reflector::start() { state_->go_on(State::Step::list); }
bool Reflector::relist() {
    if (!state_->is_in_touch()) return false;
    state_->leave_watch(WatchError::busy);
    state_->from = state_->list_from(ListFrom::newest);
    state_->go_on(State::Step::list);
    return true;
}
void Reflector::pause() { state_->is_paused = true; }

void Reflector::resume() {
    if (!std::exchange(state_->is_paused, false)) return;
    if (!state_->request && !state_->timer) state_->go_on(state_->next);
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
