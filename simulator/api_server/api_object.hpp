/// Objects of the API as JSON: a stored object is shared and immutable, and a change makes a copy.
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

#include "kubernetes/base/json_path.hpp"

namespace capstan::simulator {

namespace json = boost::json;

}  // namespace capstan::simulator

namespace capstan::simulator::api_server {

using ApiObject = std::shared_ptr<const json::object>;

inline std::string_view view(json::string_view text) { return {text.data(), text.size()}; }
inline json::string_view json_view(std::string_view text) { return {text.data(), text.size()}; }

using kubernetes::base::annotation_of;
using kubernetes::base::find_array;
using kubernetes::base::find_condition;
using kubernetes::base::find_member;
using kubernetes::base::find_object;
using kubernetes::base::find_value;
using kubernetes::base::has_condition;
using kubernetes::base::integer_at;
using kubernetes::base::is_true_at;
using kubernetes::base::JsonRoot;
using kubernetes::base::label_of;
using kubernetes::base::list_at;
using kubernetes::base::make_object;
using kubernetes::base::set_default;
using kubernetes::base::set_value;
using kubernetes::base::text_at;

// Members of metadata; empty: absent, or no text.
inline std::string_view name_of(JsonRoot object) { return text_at(object, "metadata.name"); }
inline std::string_view namespace_of(JsonRoot object) {
    return text_at(object, "metadata.namespace");
}
inline std::string_view uid_of(JsonRoot object) { return text_at(object, "metadata.uid"); }

/// Equality as Boost's == has it, without the copy that == makes of every member it compares.
bool is_equal(const json::value& a, const json::value& b);
bool is_equal(const json::object& a, const json::object& b);
bool is_equal(const json::array& a, const json::array& b);

/// Sets `key` of `object` to the value that `from` has; erases `key` if `from` has none.
void take_member(json::object& object, const json::object& from, std::string_view key);

/// Seconds of a request as a duration, clamped to zero at least and ten years at most.
Duration bounded_seconds(std::int64_t seconds);

}  // namespace capstan::simulator::api_server
