/// Fields of JSON answers as Google writes them: what is absent is empty, 64-bit numbers are texts.
///
/// A field of another type throws a Failure (`unavailable`) that names it; `within` adds the place
/// of the object that it is in.
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

/// Absent and null are empty.
std::string text_field(const Json& object, std::string_view key);
/// One that may not be absent or empty.
std::string required_text_field(const Json& object, std::string_view key);
/// Written as a number or as a text of digits; absent is nothing.
std::optional<std::int64_t> find_number_field(const Json& object, std::string_view key);
/// From 0 to the largest int; absent is 0.
int count_field(const Json& object, std::string_view key);
bool truth_field(const Json& object, std::string_view key);
/// The items of a list; absent is none.
const std::vector<Json>& list_field(const Json& object, std::string_view key);
/// An object; absent is one without members.
const Json& object_field(const Json& object, std::string_view key);
std::vector<std::string> texts_field(const Json& object, std::string_view key);
/// Members that are texts.
Labels labels_field(const Json& object, std::string_view key);
/// RFC 3339; absent, or no such text, is nothing: no decision depends on it.
std::optional<Time> find_time_field(const Json& object, std::string_view key);
/// A link; absent is nothing.
std::optional<ResourceLink> find_link_field(const Json& object, std::string_view key);

/// The token of the next page of a list.
std::string next_page_token(const Json& answer);

}  // namespace capstan::gce
