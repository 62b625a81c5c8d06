/// Objects of the API as JSON, changed without losing what this program knows nothing of.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/api.hpp"

namespace capstan::kubernetes::client {

/// Nothing: it is no JSON, or no object. As deep as schemas of custom resources nest.
std::optional<boost::json::object> find_json_object(std::string_view text);

/// A reply's body. `unavailable`: it is no JSON object, so the server that answered is not, or not
/// yet, an API server.
Result<boost::json::object> parse_object(const ApiReply& reply);
/// The same of whatever a request came back with.
Result<boost::json::object> parse_object(Result<ApiReply> reply);

/// The value at the end of a path of members; NULL: one of them is missing, null, or no object.
const boost::json::value* find_value(const boost::json::object& object,
                                     std::initializer_list<std::string_view> path);
const boost::json::object* find_object(const boost::json::object& object,
                                       std::initializer_list<std::string_view> path);
const boost::json::array* find_array(const boost::json::object& object,
                                     std::initializer_list<std::string_view> path);
/// Empty: absent, or no text.
std::string text_at(const boost::json::object& object,
                    std::initializer_list<std::string_view> path);
/// Zero: absent, or no whole number.
std::int64_t integer_at(const boost::json::object& object,
                        std::initializer_list<std::string_view> path);
bool is_true_at(const boost::json::object& object, std::initializer_list<std::string_view> path);

/// The member of that name, an object; made anew where it is anything else.
boost::json::object& make_object(boost::json::object& object, std::string_view key);

}  // namespace capstan::kubernetes::client
