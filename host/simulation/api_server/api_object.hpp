/// Objects of the API as JSON: shared and immutable where they are kept, copied where they change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <capstan/time.hpp>

namespace capstan::simulation {

namespace json = boost::json;

}  // namespace capstan::simulation

namespace capstan::simulation::api_server {

using ApiObject = std::shared_ptr<const json::object>;

inline std::string_view view(json::string_view text) { return {text.data(), text.size()}; }
inline json::string_view json_view(std::string_view text) { return {text.data(), text.size()}; }

/// Members are named by a path with points, "metadata.name"; one in front is passed over, as custom
/// resources write it. NULL: a part of the path is missing, null, or below something that is no
/// object.
const json::value* find_value(const json::object& object, std::string_view path);
const json::object* find_object(const json::object& object, std::string_view path);
const json::array* find_array(const json::object& object, std::string_view path);
/// Empty: absent, or no list.
const json::array& list_at(const json::object& object, std::string_view path);
/// Empty: absent, or no text. Lives as long as the object.
std::string_view text_at(const json::object& object, std::string_view path);
/// Nothing: absent, or no whole number.
std::optional<std::int64_t> integer_at(const json::object& object, std::string_view path);
bool is_true_at(const json::object& object, std::string_view path);

/// Of those in its status; NULL: it has none of that type.
const json::object* find_condition(const json::object& object, std::string_view type);
bool has_condition(const json::object& object, std::string_view type,
                   std::string_view status = "True");

/// As Boost's ==, which copies every member it compares.
bool is_equal(const json::value& a, const json::value& b);
bool is_equal(const json::object& a, const json::object& b);
bool is_equal(const json::array& a, const json::array& b);

/// The member of that name, an object; made anew where it is anything else.
json::object& make_object(json::object& object, std::string_view key);
/// Sets what is at the end of a path, making the objects on the way.
void set_value(json::object& object, std::string_view path, json::value value);
/// Sets it only where there is nothing, or null.
void set_default(json::object& object, std::string_view path, json::value value);
/// The other way: `key` takes over the value of `from`, or goes where `from` has none.
void take_member(json::object& object, const json::object& from, std::string_view key);

/// Seconds of a request, as a length of time: never below nothing, never above ten years.
Duration bounded_seconds(std::int64_t seconds);

/// "2026-11-21T10:50:00Z"
std::string timestamp_text(Time time);
/// The same with six decimals, as leases write it.
std::string micro_timestamp_text(Time time);
/// Nothing: no timestamp in UTC.
std::optional<Time> parse_timestamp_text(std::string_view text);

}  // namespace capstan::simulation::api_server
