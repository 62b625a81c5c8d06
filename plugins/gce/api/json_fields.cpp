#include "json_fields.hpp"

#include <capstan/error.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::gce {
namespace {

[[noreturn]] void complain_of_field(std::string_view key, const char* what) {
    throw Failure(ErrorCode::unavailable, std::string(key) + " is " + what);
}

const Json* find_field(const Json& object, std::string_view key) {
    const Json* const found = object.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
}

}  // namespace

std::string text_field(const Json& object, std::string_view key) {
    const Json* const field = find_field(object, key);
    if (field == nullptr) return {};
    if (!field->is_text()) complain_of_field(key, "not a string");
    return field->text();
}

std::string required_text_field(const Json& object, std::string_view key) {
    std::string out = text_field(object, key);
    if (out.empty()) complain_of_field(key, "missing");
    return out;
}

std::optional<std::int64_t> find_number_field(const Json& object, std::string_view key) {
    const Json* const field = find_field(object, key);
    if (field == nullptr) return std::nullopt;
    const std::optional<std::int64_t> out =
        field->is_text() ? find_whole_number(field->text()) : field->integer();
    if (!out) complain_of_field(key, "not an integer");
    return out;
}

int count_field(const Json& object, std::string_view key) {
    const std::int64_t out = find_number_field(object, key).value_or(0);
    if (out < 0 || out > std::numeric_limits<int>::max())
        complain_of_field(key, "not a number of at least 0");
    return static_cast<int>(out);
}

bool truth_field(const Json& object, std::string_view key) {
    const Json* const field = find_field(object, key);
    if (field == nullptr) return false;
    if (field->type() != Json::Type::boolean) complain_of_field(key, "not true or false");
    return field->boolean();
}

const std::vector<Json>& list_field(const Json& object, std::string_view key) {
    static const std::vector<Json> none;
    const Json* const field = find_field(object, key);
    if (field == nullptr) return none;
    if (!field->is_array()) complain_of_field(key, "not a list");
    return field->items();
}

const Json& object_field(const Json& object, std::string_view key) {
    static const Json none = Json::object();
    const Json* const field = find_field(object, key);
    if (field == nullptr) return none;
    if (!field->is_object()) complain_of_field(key, "not an object");
    return *field;
}

std::vector<std::string> texts_field(const Json& object, std::string_view key) {
    std::vector<std::string> out;
    for (const Json& item : list_field(object, key)) {
        if (!item.is_text()) complain_of_field(key, "not a list of strings");
        out.push_back(item.text());
    }
    return out;
}

Labels labels_field(const Json& object, std::string_view key) {
    Labels out;
    for (const auto& [name, value] : object_field(object, key).members()) {
        if (!value.is_text()) complain_of_field(key, "not a map of strings");
        out.insert_or_assign(name, value.text());
    }
    return out;
}

std::optional<Time> find_time_field(const Json& object, std::string_view key) {
    const Result<Time> time = parse_rfc3339(text_field(object, key));
    return time ? std::optional(*time) : std::nullopt;
}

std::optional<ResourceLink> find_link_field(const Json& object, std::string_view key) {
    const std::string text = text_field(object, key);
    if (text.empty()) return std::nullopt;
    Result<ResourceLink> out = parse_link(text);
    if (!out) throw Failure(ErrorCode::unavailable, std::string(key) + ": " + out.error().message);
    return *std::move(out);
}

std::string next_page_token(const Json& answer) { return text_field(answer, "nextPageToken"); }

}  // namespace capstan::gce
