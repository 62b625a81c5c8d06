#include "kubernetes/object_stream.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view mark = "\xEF\xBB\xBF";

/// Why a text with this first byte is not UTF-8; NULL: it may be.
const char* find_encoding_error(char first) {
    switch (first) {
        case '\xFF':
        case '\xFE': return "is UTF-16 text, as PowerShell writes redirected output; expects UTF-8";
        case '\x1F': return "is compressed; expects JSON text";
        default: return nullptr;
    }
}

}  // namespace

Result<std::string_view> TextStart::take(std::string_view text) {
    while (!is_over_ && !text.empty()) {
        if (matched_ == 0) {
            if (const char* wrong = find_encoding_error(text.front()))
                return fail(ErrorCode::invalid_argument, wrong);
        }
        is_over_ = matched_ == mark.size() || text.front() != mark[matched_];
        if (is_over_) break;
        ++matched_;
        text.remove_prefix(1);
    }
    return text;
}

struct ObjectStream::State {
    State(ObjectSink& sink, const KeptMembers& kept) : parser(sink, kept) {}

    DocumentParser<ObjectEvents> parser;
};

ObjectStream::ObjectStream(ObjectSink& sink, const KeptMembers& kept)
    : state_(std::make_unique<State>(sink, kept)) {}
ObjectStream::~ObjectStream() = default;

Result<void> ObjectStream::write(std::string_view text) { return state_->parser.write(text); }
Result<void> ObjectStream::finish() { return state_->parser.finish(); }

namespace {

namespace json = boost::json;

constexpr std::string_view items = "items";
constexpr std::string_view nodes = "NodeList";
constexpr std::string_view unscheduled = "UnscheduledPodsCanBeScheduled";

/// Whether a member of that name makes its object a list.
bool makes_a_list(std::string_view key) {
    return key == items || key == nodes || key == unscheduled;
}

/// "Pod" of "PodList"; empty of "List", whose items have their own kind.
std::string_view kind_of_items(std::string_view list) {
    return list.substr(0, list.size() - std::string_view("List").size());
}

}  // namespace

void ObjectEvents::begin(bool is_array) {
    if (builder_.is_idle()) {
        begin_outside_item(is_array);
    } else if (!builder_.keeps_next()) {
        skip();
    } else {
        is_array ? builder_.begin_array() : builder_.begin_object();
    }
}

void ObjectEvents::begin_outside_item(bool is_array) {
    const bool at_top = levels_.empty();
    const Shape shape = at_top ? Shape::objects : levels_.back().shape;
    if (shape == Shape::list) return begin_in_list(is_array);
    if (shape == Shape::entry) return begin_in_entry(is_array);
    if (is_array && at_top) {
        levels_.push_back({Shape::objects});
    } else if (is_array) {
        take_non_object(json::array());
        skip();
    } else if (shape == Shape::entries) {
        levels_.push_back({Shape::entry});
    } else {
        begin_item(at_top ? std::string_view() : levels_.back().kind);
    }
}

void ObjectEvents::begin_in_list(bool is_array) {
    if (!makes_a_list(key_)) {
        skip();
    } else if (!is_array) {
        take_non_object(json::object());
        skip();
    } else if (key_ == nodes) {
        levels_.push_back({Shape::entries});
    } else {
        levels_.push_back({Shape::objects, key_ == unscheduled ? "Pod" : levels_.back().kind});
    }
}

void ObjectEvents::begin_in_entry(bool is_array) {
    if (key_ == "Node" && !is_array) {
        begin_item("Node");
    } else if (key_ == "Pods" && is_array) {
        levels_.push_back({Shape::objects, "Pod"});
    } else {
        skip();
    }
}

void ObjectEvents::begin_item(std::string_view kind) {
    kind_hint_ = kind;
    kind_.clear();
    builder_.begin_object();
}

void ObjectEvents::end() {
    if (builder_.is_idle()) {
        levels_.pop_back();
    } else if (builder_.end()) {
        sink_.take(kind_hint_, builder_.object());
        builder_.clear();
    }
}

void ObjectEvents::key(std::string_view key) {
    if (builder_.is_idle()) {
        key_ = key;
        return;
    }
    if (builder_.depth() == 1) {
        key_ = key;
        const bool may_be_list = kind_hint_.empty() && (kind_.empty() || kind_.ends_with("List"));
        if (may_be_list && makes_a_list(key)) return enter_list();
    }
    builder_.key(key);
}

/// The object that is being built is a list, so its other members are not needed.
void ObjectEvents::enter_list() {
    builder_.clear();
    levels_.push_back(
        {Shape::list, std::string(kind_.empty() ? std::string_view() : kind_of_items(kind_))});
}

bool ObjectEvents::wants_text() const {
    return builder_.is_idle() || (builder_.depth() == 1 && key_ == "kind");
}

void ObjectEvents::text_part(std::string_view part) {
    if (wants_text()) text_ += part;
    if (!builder_.is_idle() && builder_.keeps_next()) builder_.text_part(part);
}

void ObjectEvents::text(std::string_view rest) {
    if (!builder_.is_idle() && builder_.keeps_next()) builder_.text(rest);
    if (!wants_text()) return;
    text_ += rest;
    if (!builder_.is_idle()) {
        kind_ = text_;
    } else if (!levels_.empty() && levels_.back().shape == Shape::list && key_ == "Error") {
        sink_.take_error(text_);
    } else {
        take_non_object(json::string(text_));
    }
    text_.clear();
}

void ObjectEvents::scalar(const json::value& value) {
    if (builder_.is_idle()) {
        take_non_object(value);
    } else if (builder_.keeps_next()) {
        builder_.scalar(value);
    }
}

/// A value of another type is at the place of an object or of a list. A null in the place of a list
/// is an empty list, because Go encodes an empty slice as null.
void ObjectEvents::take_non_object(const json::value& value) {
    const bool at_top = levels_.empty();
    const Shape shape = at_top ? Shape::objects : levels_.back().shape;
    if (shape == Shape::entry) return;
    if (shape == Shape::list && (!makes_a_list(key_) || value.is_null())) return;
    sink_.take(at_top ? std::string_view() : levels_.back().kind, value);
}

}  // namespace capstan::kubernetes
