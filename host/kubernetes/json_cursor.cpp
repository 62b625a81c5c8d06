#include "kubernetes/json_cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <boost/json.hpp>

#include <capstan/sentence.hpp>

namespace capstan::kubernetes {
namespace {

namespace json = boost::json;

/// A part of an RFC 6901 pointer: '~' and '/' are escaped.
std::string pointer_part(std::string_view key) {
    std::string out = "/";
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

/// The pointer from `value` to `wanted`, which is found by its address.
std::optional<std::string> find_pointer(const json::value& value, const json::value* wanted) {
    if (&value == wanted) return "";
    if (const json::object* object = value.if_object()) {
        for (const auto& member : *object) {
            if (auto rest = find_pointer(member.value(), wanted))
                return pointer_part(member.key()) + *rest;
        }
    } else if (const json::array* array = value.if_array()) {
        for (std::size_t i = 0; i < array->size(); ++i) {
            if (auto rest = find_pointer((*array)[i], wanted))
                return pointer_part(std::to_string(i)) + *rest;
        }
    }
    return std::nullopt;
}

/// The shortest text that reads back as the same number.
std::string text_of(double number) {
    std::array<char, 32> out{};
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    return {out.data(), end};
}

std::string text_of_number(const json::value& value) {
    if (const std::int64_t* i = value.if_int64()) return std::to_string(*i);
    if (const std::uint64_t* u = value.if_uint64()) return std::to_string(*u);
    return text_of(value.get_double());
}

std::string found(const json::value* value) {
    if (value == nullptr) return "nothing";
    switch (value->kind()) {
        case json::kind::null: return "null";
        case json::kind::bool_: return value->get_bool() ? "true" : "false";
        case json::kind::string:
            return "text (" + capstan::in_quotes(std::string_view(value->get_string())) + ")";
        case json::kind::array: return "an array";
        case json::kind::object: return "an object";
        default: return "a number (" + text_of_number(*value) + ")";
    }
}

/// The integer, also where the text has 3.0 or 3e0.
std::optional<std::int64_t> find_whole(const json::value& value) {
    if (const std::int64_t* i = value.if_int64()) return *i;
    const double* d = value.if_double();
    constexpr double exact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers
    if (d == nullptr || std::trunc(*d) != *d || std::abs(*d) > exact) return std::nullopt;
    return static_cast<std::int64_t>(*d);
}

}  // namespace

void JsonProblems::add(JsonProblem problem) {
    const bool is_new = std::ranges::find(kept_, problem) == kept_.end();
    if (is_new && is_full()) return leave_out();
    ++made_;
    if (is_new) kept_.push_back(std::move(problem));
}

JsonCursor JsonCursor::child(const json::value& value, std::string_view key) const noexcept {
    return {*problems_, value.is_null() ? nullptr : &value, value_, key};
}

JsonCursor JsonCursor::operator[](std::string_view key) const {
    if (value_ == nullptr) return {*problems_, nullptr, nullptr, key};
    const json::object* object = value_->if_object();
    if (object == nullptr) {
        expects("an object");
        return {*problems_, nullptr, nullptr, key};
    }
    const json::value* member = object->if_contains(key);
    return {*problems_, member != nullptr && !member->is_null() ? member : nullptr, value_, key};
}

JsonCursor JsonCursor::required(std::string_view key) const {
    const JsonCursor member = (*this)[key];
    // Without a parent object, operator[] has added the problem already.
    if (member.is_absent() && member.parent_ != nullptr) member.complain("is missing");
    return member;
}

bool JsonCursor::is_text() const noexcept { return value_ != nullptr && value_->is_string(); }

std::optional<std::string_view> JsonCursor::text() const {
    if (value_ == nullptr) return std::nullopt;
    if (const json::string* text = value_->if_string()) return std::string_view(*text);
    expects("text");
    return std::nullopt;
}

std::optional<std::string_view> JsonCursor::name() const {
    const std::optional<std::string_view> out = text();
    if (!out || !out->empty()) return out;
    complain("is empty");
    return std::nullopt;
}

std::optional<std::int64_t> JsonCursor::integer(std::int64_t min, std::int64_t max) const {
    if (value_ == nullptr) return std::nullopt;
    const std::optional<std::int64_t> whole = find_whole(*value_);
    if (whole && *whole >= min && *whole <= max) return whole;
    expects("an integer from " + std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
}

std::optional<std::uint64_t> JsonCursor::natural() const {
    if (value_ == nullptr) return std::nullopt;
    if (const std::uint64_t* u = value_->if_uint64()) return *u;
    const std::optional<std::int64_t> whole = find_whole(*value_);
    if (whole && *whole >= 0) return static_cast<std::uint64_t>(*whole);
    expects("an integer from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
    return std::nullopt;
}

std::optional<double> JsonCursor::number() const {
    if (value_ == nullptr) return std::nullopt;
    if (const double* d = value_->if_double(); d != nullptr && std::isfinite(*d)) return *d;
    if (value_->is_int64()) return static_cast<double>(value_->get_int64());
    if (value_->is_uint64()) return static_cast<double>(value_->get_uint64());
    expects("a number");
    return std::nullopt;
}

std::optional<bool> JsonCursor::boolean() const {
    if (value_ == nullptr) return std::nullopt;
    if (const bool* b = value_->if_bool()) return *b;
    expects("true or false");
    return std::nullopt;
}

std::optional<Quantity> JsonCursor::quantity() const {
    if (value_ == nullptr) return std::nullopt;
    std::string written;
    if (const json::string* text = value_->if_string()) {
        written.assign(text->data(), text->size());
    } else if (value_->is_number()) {
        written = text_of_number(*value_);
    } else {
        expects("a quantity such as \"1500m\" or \"2Gi\"");
        return std::nullopt;
    }
    const Result<Quantity> quantity = parse_quantity(written);
    if (quantity) return *quantity;
    complain(quantity.error().message);
    return std::nullopt;
}

Labels JsonCursor::labels() const {
    Labels out;
    for (const JsonCursor& member : members()) {
        if (const auto value = member.text()) out.emplace(member.key(), *value);
    }
    return out;
}

std::vector<JsonCursor> JsonCursor::items() const {
    std::vector<JsonCursor> out;
    if (value_ == nullptr) return out;
    const json::array* array = value_->if_array();
    if (array == nullptr) {
        expects("an array");
        return out;
    }
    out.reserve(array->size());
    for (const json::value& item : *array) out.push_back({*problems_, &item, value_, {}});
    return out;
}

std::vector<JsonCursor> JsonCursor::members() const {
    std::vector<JsonCursor> out;
    if (value_ == nullptr) return out;
    const json::object* object = value_->if_object();
    if (object == nullptr) {
        expects("an object");
        return out;
    }
    for (const auto& member : *object) out.push_back(child(member.value(), member.key()));
    return out;
}

void JsonCursor::expects(std::string_view expected) const {
    complain("expects " + std::string(expected) + ", found " + found(value_));
}

void JsonCursor::complain(std::string what) const {
    if (problems_->is_full()) return problems_->leave_out();
    problems_->add({pointer(), std::move(what)});
}

std::string JsonCursor::pointer() const {
    if (value_ != nullptr) return find_pointer(problems_->document(), value_).value_or("");
    if (parent_ == nullptr) return "";
    return find_pointer(problems_->document(), parent_).value_or("") + pointer_part(key_);
}

}  // namespace capstan::kubernetes
