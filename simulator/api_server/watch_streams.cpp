#include "simulator/api_server/watch_streams.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/well_known.hpp>

#include "simulator/api_server/resource_storage.hpp"
#include "simulator/api_server/tables.hpp"

namespace capstan::simulator::api_server {

class WatchStreams::Stream : public std::enable_shared_from_this<Stream> {
public:
    Stream(ObjectStore& store, KindPtr kind, const ApiRequest& request, io::Responder responder,
           std::optional<ApiFault> fault)
        : store_(store),
          kind_(std::move(kind)),
          request_(request),
          responder_(std::move(responder)),
          fault_(std::move(fault)) {}
    ~Stream() { stop(); }

    Answer<void> start(const Options& options);
    void stop();
    void cut() { responder_.cut(); }
    void when_closed(std::function<void()> then) { responder_.when_closed(std::move(then)); }

private:
    bool wants_bookmarks() const { return request_.is_set("allowWatchBookmarks"); }
    bool is_initial_list() const { return request_.is_set("sendInitialEvents"); }
    void begin();
    std::uint64_t send_initial(const Listing& listing);
    void follow(std::uint64_t after);
    void set_timers(const Options& options);
    void schedule_bookmark(Duration interval);
    void send_change(const Change& change);
    void send(std::string_view type, const ApiObject& object);
    void send_object(std::string_view type, const json::object& object);
    void write(std::string line);
    void send_bookmark(std::uint64_t revision, bool ends_initial);
    void send_error(const StatusError& refusal);
    void finish();
    bool inject_fault();
    void send_corrupted(ResponseCorruption how);

    ObjectStore& store_;
    KindPtr kind_;
    ApiRequest request_;
    io::Responder responder_;
    std::optional<ApiFault> fault_;
    ObjectQuery query_;
    int events_ = 0;
    bool is_over_ = false;
    std::unique_ptr<Subscription> subscription_;
    std::optional<io::TimerId> bookmark_timer_, end_timer_;
};

Answer<void> WatchStreams::Stream::start(const Options& options) {
    CAPSTAN_TRY(query_, parse_object_query(*kind_, request_));
    const std::string_view from = request_.option("resourceVersion");
    CAPSTAN_TRY(const std::uint64_t revision, parse_revision(from));
    if (is_initial_list() && request_.option("resourceVersionMatch") != "NotOlderThan")
        return fail(
            StatusError{422,
                        "Invalid",
                        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
                        "Forbidden: sendInitialEvents requires setting resourceVersionMatch "
                        "to NotOlderThan",
                        {},
                        {},
                        {}});
    if (revision > store_.revision()) return fail(too_large(revision, store_.revision()));
    begin();
    if (inject_fault()) return {};
    const bool is_fresh = revision == 0 || is_initial_list();
    follow(is_fresh ? send_initial(store_.list(*kind_, request_.space)) : revision);
    set_timers(options);
    return {};
}

void WatchStreams::Stream::begin() {
    responder_.begin({200, {{"content-type", "application/json"}}, {}});
}

std::uint64_t WatchStreams::Stream::send_initial(const Listing& listing) {
    const bool is_refused = request_.option("sendInitialEvents") == "false";
    for (const ApiObject& object : listing.items)
        if (!is_refused && query_.has(*object)) send("ADDED", object);
    if (is_initial_list() && wants_bookmarks()) send_bookmark(listing.revision, true);
    return listing.revision;
}

void WatchStreams::Stream::follow(std::uint64_t after) {
    if (is_over_) return;
    auto made = store_.subscribe(
        *kind_, after,
        {[this](const Change& change) { send_change(change); },
         [this] {
             send_error(expired("The resourceVersion for the provided watch is too old."));
         }});
    if (made) {
        subscription_ = std::move(*made);
    } else {
        send_error(made.error());
    }
}

void WatchStreams::Stream::set_timers(const Options& options) {
    if (is_over_) return;
    Duration longest = options.longest;
    if (const auto seconds = parse_revision(request_.option("timeoutSeconds"));
        seconds && *seconds > 0)
        longest = bounded_seconds(static_cast<std::int64_t>(
            std::min<std::uint64_t>(*seconds, std::numeric_limits<std::int64_t>::max())));
    const std::weak_ptr<Stream> weak = weak_from_this();
    end_timer_ = store_.loop().after(longest, [weak] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        if (self->wants_bookmarks()) self->send_bookmark(self->store_.revision(), false);
        self->finish();
    });
    if (wants_bookmarks()) schedule_bookmark(options.bookmark_interval);
}

void WatchStreams::Stream::schedule_bookmark(Duration interval) {
    const std::weak_ptr<Stream> weak = weak_from_this();
    bookmark_timer_ = store_.loop().after(interval, [weak, interval] {
        const auto self = weak.lock();
        if (self == nullptr || self->is_over_) return;
        // After all changes up to this revision that are not delivered yet.
        boost::asio::post(self->store_.loop().io(), [weak, revision = self->store_.revision()] {
            if (const auto later = weak.lock()) later->send_bookmark(revision, false);
        });
        self->schedule_bookmark(interval);
    });
}

/// For the client an object that no longer matches is deleted, and one that begins to match is new.
void WatchStreams::Stream::send_change(const Change& change) {
    const std::string_view space = namespace_of(*change.object);
    if (!request_.space.empty() && space != request_.space) return;
    const bool was = change.before != nullptr && query_.has(*change.before);
    const bool is = change.type != ChangeType::deleted && query_.has(*change.object);
    if (was && is) {
        send("MODIFIED", change.object);
    } else if (is) {
        send("ADDED", change.object);
    } else if (was) {
        const bool has_ended = change.type == ChangeType::deleted;
        send("DELETED", has_ended ? change.object : make_stored(*change.before, change.revision));
    }
}

void WatchStreams::Stream::send(std::string_view type, const ApiObject& object) {
    if (is_over_ || inject_fault()) return;
    ++events_;
    const ApiObject versioned = in_version(*kind_, object);
    const Accepted& accepted = request_.accepted;
    if (accepted.form == Form::table) {
        const RowObject row =
            request_.option("includeObject") == "Object" ? RowObject::object : RowObject::metadata;
        json::object metadata{
            {"resourceVersion", json_view(text_at(*object, "metadata.resourceVersion"))}};
        send_object(type, make_table(*kind_, {versioned}, std::move(metadata), accepted.version,
                                     row, store_.now()));
    } else if (accepted.form == Form::metadata) {
        send_object(type, metadata_of(*versioned, accepted.version));
    } else {
        send_object(type, *versioned);
    }
    if (fault_ && fault_->after_events) std::ignore = inject_fault();
}

void WatchStreams::Stream::send_object(std::string_view type, const json::object& object) {
    constexpr std::string_view start = R"({"type":")", middle = R"(","object":)", end = "}\n";
    const std::string text = json::serialize(object);
    std::string line;
    line.reserve(start.size() + type.size() + middle.size() + text.size() + end.size());
    line.append(start).append(type).append(middle).append(text).append(end);
    write(std::move(line));
}

void WatchStreams::Stream::write(std::string line) {
    if (!fault_ || fault_->lag == Duration(0)) return responder_.write(std::move(line));
    store_.loop().after(fault_->lag, [weak = weak_from_this(), line = std::move(line)] {
        if (const auto self = weak.lock(); self != nullptr && !self->is_over_)
            self->responder_.write(line);
    });
}

void WatchStreams::Stream::send_bookmark(std::uint64_t revision, bool ends_initial) {
    if (is_over_) return;
    json::object metadata{{"resourceVersion", std::to_string(revision)}};
    if (ends_initial)
        metadata["annotations"] = json::object{{well_known::initial_events_end_annotation, "true"}};
    const bool is_partial = request_.accepted.form == Form::metadata;
    send_object("BOOKMARK", {{"kind", is_partial ? "PartialObjectMetadata" : kind_->kind},
                             {"apiVersion", is_partial ? "meta.k8s.io/" + request_.accepted.version
                                                       : kind_->api_version()},
                             {"metadata", std::move(metadata)}});
}

void WatchStreams::Stream::send_error(const StatusError& refusal) {
    if (is_over_) return;
    send_object("ERROR", status_object(refusal));
    finish();
}

/// Carries out the fault once its number of events is reached. True: the watch is over.
bool WatchStreams::Stream::inject_fault() {
    if (is_over_ || !fault_ || events_ < fault_->after_events.value_or(0)) return is_over_;
    if (fault_->cuts) {
        is_over_ = true;
        responder_.cut();
    } else if (fault_->status != 0) {
        send_error(refusal_of(*fault_, request_));
    } else if (fault_->spoil != ResponseCorruption::none) {
        send_corrupted(fault_->spoil);
    }
    return is_over_;
}

void WatchStreams::Stream::send_corrupted(ResponseCorruption how) {
    if (how == ResponseCorruption::other_kind || how == ResponseCorruption::nameless) {
        fault_.reset();
        return send_object("ADDED", odd_object(how, kind_->kind));
    }
    is_over_ = true;
    if (how == ResponseCorruption::garbage) responder_.write("<html>\n");
    if (how == ResponseCorruption::half || how == ResponseCorruption::torn)
        responder_.write(R"({"type":"MODIFIED","object":{"kind":")");
    if (how == ResponseCorruption::half) responder_.end();
    if (how == ResponseCorruption::torn) responder_.cut();
    if (const auto timer = std::exchange(end_timer_, std::nullopt)) store_.loop().cancel(*timer);
}

void WatchStreams::Stream::finish() {
    is_over_ = true;
    responder_.end();
}

void WatchStreams::Stream::stop() {
    is_over_ = true;
    subscription_.reset();
    if (bookmark_timer_) store_.loop().cancel(*bookmark_timer_);
    if (end_timer_) store_.loop().cancel(*end_timer_);
    bookmark_timer_.reset();
    end_timer_.reset();
}

WatchStreams::~WatchStreams() = default;

Answer<void> WatchStreams::open(const KindPtr& kind, const ApiRequest& request,
                                io::Responder responder, const std::optional<ApiFault>& fault) {
    auto stream = std::make_shared<Stream>(store_, kind, request, std::move(responder), fault);
    CAPSTAN_CHECK(stream->start(options_));
    const std::uint64_t id = ++last_id_;
    streams_.emplace(id, stream);
    stream->when_closed([this, id, weak = std::weak_ptr<Stream>(stream)] {
        // Only `streams_` owns the stream, so a living stream means that `this` lives, too.
        if (weak.lock() != nullptr) close(id);
    });
    return {};
}

void WatchStreams::cut_all() {
    const auto cut = streams_;
    for (const auto& entry : cut) entry.second->cut();
}

void WatchStreams::close(std::uint64_t id) { streams_.erase(id); }

}  // namespace capstan::simulator::api_server
