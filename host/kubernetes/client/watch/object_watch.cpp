#include "kubernetes/client/watch/object_watch.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "kubernetes/client/json_object.hpp"

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t line_limit = std::size_t{16} << 20;
/// A server may take its time to gather a large list before it says anything.
constexpr Duration list_timeout = 60s;

std::string object_key(const boost::json::object& object) {
    return text_at(object, {"metadata", "namespace"}) + "/" + text_at(object, {"metadata", "name"});
}

/// Whether a watch that ended so cannot go on from the version it came to.
bool lists_after(Setback what) {
    return what != Setback::busy && what != Setback::forbidden && what != Setback::stalled;
}

}  // namespace

ObjectWatch::ObjectWatch(Api& api, io::Loop& loop, Options options)
    : api_(api),
      loop_(loop),
      options_(std::move(options)),
      backoff_(io::seed_for(options_.seed, "backoff")),
      random_(io::seed_for(options_.seed, "timeout")),
      silence_(loop, [this](WatchSilence::Meaning meaning) { take_silence(meaning); }) {}

ObjectWatch::~ObjectWatch() { drop(); }

void ObjectWatch::start() { list(); }

void ObjectWatch::list() {
    drop();
    ++lists_;
    is_listing_ = true;
    next_page_.clear();
    list_page();
}

void ObjectWatch::list_page() {
    drop();
    ApiRequest asked{.path = options_.path,
                     .query = options_.selectors,
                     .timeout = list_timeout,
                     .purpose = options_.purpose};
    asked.query.emplace_back("limit", std::to_string(options_.page));
    if (!next_page_.empty()) asked.query.emplace_back("continue", next_page_);
    request_ = api_.send(std::move(asked), [this, here = std::weak_ptr(present_)](auto reply) {
        if (!here.expired()) take_page(std::move(reply));
    });
}

void ObjectWatch::watch() {
    drop();
    rest_.clear();
    has_events_ = false;
    opened_ = loop_.monotonic();
    // Not all at once, or all clients of a server that was restarted would ever come together.
    const auto timeout =
        std::chrono::duration_cast<std::chrono::seconds>(with_jitter(random_, 300s, 300s));
    ApiRequest asked{
        .path = options_.path, .query = options_.selectors, .purpose = options_.purpose};
    asked.query.emplace_back("watch", "true");
    asked.query.emplace_back("allowWatchBookmarks", "true");
    asked.query.emplace_back("timeoutSeconds", std::to_string(timeout.count()));
    asked.query.emplace_back("resourceVersion", version_);
    const std::weak_ptr here(present_);
    request_ = api_.stream(
        std::move(asked),
        [this, here](std::string_view part) {
            if (!here.expired()) take_part(part);
        },
        [this, here](const Result<ApiReply>& reply) {
            if (!here.expired()) take_end(reply);
        });
    silence_.begin_watch();
}

void ObjectWatch::go_on() {
    if (is_paused_) return drop();
    if (!is_listing_) return watch();
    next_page_.empty() ? list() : list_page();
}

void ObjectWatch::wait(Duration delay) {
    drop();
    timer_ = loop_.after(delay, [this, here = std::weak_ptr(present_)] {
        if (here.expired()) return;
        timer_.reset();
        go_on();
    });
}

void ObjectWatch::drop() {
    present_ = std::make_shared<char>();
    silence_.end();
    if (const auto id = std::exchange(request_, std::nullopt)) api_.cancel(*id);
    if (const auto id = std::exchange(timer_, std::nullopt)) loop_.cancel(*id);
}

void ObjectWatch::pause() { is_paused_ = true; }

void ObjectWatch::resume() {
    if (!std::exchange(is_paused_, false)) return;
    if (!request_ && !timer_) go_on();
}

void ObjectWatch::take_silence(WatchSilence::Meaning meaning) {
    if (meaning == WatchSilence::Meaning::stalled)
        return set_back({ErrorCode::deadline, what_is_done() + ": nothing came for too long"},
                        Setback::stalled);
    end_trouble();  // for it was open all the time
    go_on();
}

void ObjectWatch::take_page(Result<ApiReply> reply) {
    request_.reset();
    if (!reply) return set_back(reply.error(), setback_of(reply.error()));
    const auto page = parse_object(std::move(reply));
    if (!page) return set_back(within(what_is_done(), page.error()), Setback::broken);
    if (const Result<void> taken = take_items(*page); !taken)
        return set_back(within(what_is_done(), taken.error()), Setback::broken);
    next_page_ = text_at(*page, {"metadata", "continue"});
    if (next_page_.empty()) finish_list(text_at(*page, {"metadata", "resourceVersion"}));
    go_on();
}

Result<void> ObjectWatch::take_items(const boost::json::object& page) {
    const boost::json::value* items = page.if_contains("items");
    // Who took another answer for an empty list would think that everything is gone.
    if (items == nullptr || !(items->is_array() || items->is_null()))
        return fail(ErrorCode::invalid_argument, "is no list: it has no items");
    if (text_at(page, {"metadata", "resourceVersion"}).empty())
        return fail(ErrorCode::invalid_argument, "the list has no resourceVersion to go on from");
    if (items->is_null()) return {};
    for (const boost::json::value& item : items->get_array()) {
        if (!item.is_object()) return fail(ErrorCode::invalid_argument, "an item is no object");
        boost::json::object object = item.get_object();
        if (!object.contains("apiVersion")) object["apiVersion"] = options_.api_version;
        if (!object.contains("kind")) object["kind"] = options_.kind;
        take_present(object);
    }
    return {};
}

void ObjectWatch::finish_list(std::string version) {
    for (auto at = known_.begin(); at != known_.end();) {
        const auto each = at++;
        if (each->second.seen_in == lists_) continue;
        const auto gone = known_.extract(each);
        tell_vanished(gone.key(), gone.mapped());
    }
    version_ = std::move(version);
    is_listing_ = false;
    tell(Change::synced, {});
}

void ObjectWatch::take_part(std::string_view part) {
    silence_.hear();
    rest_ += part;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
        const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
        begin = end + 1;
        const Result<void> taken = take_line(line);
        if (!taken) return set_back(taken.error(), setback_of(taken.error()));
    }
    rest_.erase(0, begin);
    if (rest_.size() > line_limit)
        return set_back({ErrorCode::quota, what_is_done() + ": a line of more than 16 MiB"},
                        Setback::broken);
    if (is_paused_) drop();
}

Result<void> ObjectWatch::take_line(std::string_view line) {
    if (line.empty()) return {};
    const std::optional<boost::json::object> event = find_json_object(line);
    const boost::json::object* object = event ? find_object(*event, {"object"}) : nullptr;
    if (object == nullptr)
        return fail(ErrorCode::invalid_argument, what_is_done() + ": a line that is no event");
    const std::string type = text_at(*event, {"type"});
    if (type == "ERROR") return fail(error_of_event(what_is_done(), *event->if_contains("object")));
    has_events_ = true;
    // Before it is told, for whoever is told may pause this.
    std::string version = text_at(*object, {"metadata", "resourceVersion"});
    if (!version.empty()) version_ = std::move(version);
    if (type == "ADDED" || type == "MODIFIED") {
        take_present(*object);
    } else if (type == "DELETED") {
        take_deleted(*object);
    } else if (type == "BOOKMARK") {
        silence_.expect_bookmarks();
        end_trouble();
    } else {
        return fail(ErrorCode::invalid_argument, what_is_done() + ": a line that is no event");
    }
    return {};
}

void ObjectWatch::take_end(const Result<ApiReply>& reply) {
    request_.reset();
    if (!reply) return set_back(reply.error(), setback_of(reply.error()));
    // The server's timeout; but one that closes at once would be asked without end.
    if (!has_events_ && loop_.monotonic() - opened_ < 1s)
        return set_back(
            {ErrorCode::unavailable, what_is_done() + ": ended at once, without an event"},
            Setback::busy);
    end_trouble();
    go_on();
}

void ObjectWatch::end_trouble() {
    if (is_in_trouble_) tell(Change::synced, {});
}

void ObjectWatch::take_present(const boost::json::object& object) {
    const std::string key = object_key(object);
    const std::string uid = text_at(object, {"metadata", "uid"});
    const std::string version = text_at(object, {"metadata", "resourceVersion"});
    auto at = known_.find(key);
    if (at != known_.end() && at->second.uid != uid) {
        const auto gone = known_.extract(at);
        tell_vanished(gone.key(), gone.mapped());
        at = known_.end();
    }
    const bool is_new = at == known_.end();
    const bool is_told = !is_new && at->second.version == version;
    known_[key] = {uid, version, lists_};
    if (!is_told) tell(is_new ? Change::added : Change::modified, object);
}

void ObjectWatch::take_deleted(const boost::json::object& object) {
    if (known_.erase(object_key(object)) > 0) tell(Change::deleted, object);
}

void ObjectWatch::set_back(const Error& error, Setback what) {
    const bool is_known = is_in_trouble_ && last_trouble_->code == error.code &&
                          last_trouble_->provider_code == error.provider_code;
    if (!is_known && what != Setback::expired) {
        is_in_trouble_ = true;
        last_trouble_ = error;
        if (options_.on_trouble) options_.on_trouble(error);
    }
    if (is_listing_ || lists_after(what)) {
        is_listing_ = true;
        next_page_.clear();
    }
    if (what == Setback::stalled) return go_on();
    const Duration advised = std::min(error.retry_after.value_or(Duration{0}), longest_advice);
    const Duration now = loop_.monotonic();
    wait(std::max(is_outdated(what) ? backoff_.next_relist(now) : backoff_.next(now), advised));
}

void ObjectWatch::tell(Change change, const boost::json::object& object) {
    is_in_trouble_ = false;
    if (options_.on_change) options_.on_change(change, object);
}

void ObjectWatch::tell_vanished(const std::string& key, const Known& known) {
    const std::size_t slash = key.find('/');
    boost::json::object metadata{{"name", key.substr(slash + 1)}, {"uid", known.uid}};
    if (slash > 0) metadata["namespace"] = key.substr(0, slash);
    tell(Change::deleted, {{"apiVersion", options_.api_version},
                           {"kind", options_.kind},
                           {"metadata", std::move(metadata)}});
}

std::string ObjectWatch::what_is_done() const {
    return (is_listing_ ? "list " : "watch ") + options_.path;
}

}  // namespace capstan::kubernetes
