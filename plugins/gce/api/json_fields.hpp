/// Reads fields of Google's JSON answers. Google omits empty fields, and writes 64-bit numbers as
/// strings.
///
/// A field of the wrong type throws a Failure (`unavailable`) that names the field; callers add the
/// place of the object by `within`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/time.hpp>

#include "../wire/resource_link.hpp"

namespace capstan::gce {

/// An absent or null field is empty.
std::string text_field(const Json& object, std::string_view key);
/// Throws if the field is absent or empty.
std::string required_text_field(const Json& object, std::string_view key);
/// Accepts a number or a string of digits; an absent field has no value.
std::optional<std::int64_t> find_number_field(const Json& object, std::string_view key);
/// From 0 to the largest int; 0 if absent.
int count_field(const Json& object, std::string_view key);
bool truth_field(const Json& object, std::string_view key);
/// The items of a list; empty if absent.
const std::vector<Json>& list_field(const Json& object, std::string_view key);
/// An object; empty if absent.
const Json& object_field(const Json& object, std::string_view key);
std::vector<std::string> texts_field(const Json& object, std::string_view key);
/// The members of an object, which must all be strings; empty if absent.
Labels labels_field(const Json& object, std::string_view key);
/// RFC 3339. A field that is absent or malformed has no value, since no decision depends on it.
std::optional<Time> find_time_field(const Json& object, std::string_view key);
/// A link; an absent field has no value.
std::optional<ResourceLink> find_link_field(const Json& object, std::string_view key);

/// The token of the next page of a list.
std::string next_page_token(const Json& answer);

}  // namespace capstan::gce
