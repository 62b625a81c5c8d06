#include "kubernetes/client/watch/watch_reader.hpp"

namespace capstan::kubernetes::client {

struct WatchReader::State {
    State(WatchSink& sink, const KeptMembers* kept) : parser(sink, kept) {}

    DocumentParser<WatchEvents> parser;
};

WatchReader::WatchReader(WatchSink& sink, const KeptMembers* kept)
    : state_(std::make_unique<State>(sink, kept)) {}
WatchReader::~WatchReader() = default;

Result<void> WatchReader::feed(std::string_view piece) { return state_->parser.write(piece); }

Result<PageEnd> WatchReader::finish_page() {
    CAPSTAN_CHECK(state_->parser.finish());
    // Without this check any other document would pass for an empty list, and all objects would be
    // removed.
    if (!state_->parser.events().has_items())
        return fail(ErrorCode::unavailable, "the list has no items");
    return state_->parser.events().page();
}

void WatchEvents::begin(bool is_array) {
    if (!builder_.is_idle()) {
        if (!builder_.keeps_next()) return skip();
        return is_array ? builder_.begin_array() : builder_.begin_object();
    }
    switch (place_) {
        case Place::outside: return is_array ? skip() : void(place_ = Place::document);
        case Place::document: return begin_member(is_array);
        case Place::metadata: return skip();
        case Place::items:
            if (!is_array) return begin_object();
            sink_.take_item(nullptr);
            return skip();
    }
}

void WatchEvents::begin_member(bool is_array) {
    if (key_ == "items" && is_array) {
        place_ = Place::items;
        has_items_ = true;
    } else if (key_ == "metadata" && !is_array) {
        place_ = Place::metadata;
    } else if (key_ == "object" && !is_array) {
        begin_object();
    } else {
        skip();
    }
}

void WatchEvents::begin_object() {
    builder_.clear();
    builder_.begin_object();
}

void WatchEvents::end() {
    if (!builder_.is_idle()) {
        if (builder_.end()) end_object();
    } else if (place_ == Place::document) {
        end_document();
    } else {
        place_ = Place::document;
    }
}

void WatchEvents::end_object() {
    if (place_ == Place::items) {
        sink_.take_item(builder_.object());
        builder_.clear();
    } else {
        has_object_ = true;
    }
}

/// An event is passed on at the end of its document, because `type` may be its last member.
void WatchEvents::end_document() {
    place_ = Place::outside;
    if (is_page_) return;
    if (has_object_) {
        sink_.take_event(type_, builder_.object());
    } else {
        sink_.take_event({}, nullptr);
    }
    builder_.clear();
    has_object_ = false;
    type_.clear();
}

void WatchEvents::key(std::string_view key) {
    if (!builder_.is_idle()) return builder_.key(key);
    key_ = key;
    if (place_ == Place::document && key == "items") is_page_ = true;
}

/// The target of the next text value; NULL: the text is not needed.
std::string* WatchEvents::wanted_text() {
    if (place_ == Place::document && key_ == "type") return &type_;
    if (place_ == Place::document && key_ == "kind") return &page_.kind;
    if (place_ == Place::document && key_ == "apiVersion") return &page_.api_version;
    if (place_ == Place::metadata && key_ == "resourceVersion") return &page_.resource_version;
    if (place_ == Place::metadata && key_ == "continue") return &page_.next;
    return nullptr;
}

void WatchEvents::text_part(std::string_view part) {
    if (builder_.is_idle()) {
        if (std::string* wanted = wanted_text()) *wanted += part;
    } else if (builder_.keeps_next()) {
        builder_.text_part(part);
    }
}

void WatchEvents::text(std::string_view rest) {
    if (place_ == Place::items && builder_.is_idle()) return sink_.take_item(nullptr);
    if (builder_.is_idle()) {
        text_part(rest);
    } else if (builder_.keeps_next()) {
        builder_.text(rest);
    }
}

void WatchEvents::scalar(const boost::json::value& value) {
    if (place_ == Place::items && builder_.is_idle()) return sink_.take_item(nullptr);
    if (!builder_.is_idle() && builder_.keeps_next()) builder_.scalar(value);
}

}  // namespace capstan::kubernetes::client
