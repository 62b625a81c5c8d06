/// Helpers to parse values that the XML answers of several actions have.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "../wire/xml_reply.hpp"

namespace capstan::aws {

/// A whole number that fits an int. Both throw a Failure (`unavailable`) with the element's path
/// and its text if the value is not a number or too large; `required_int` also if it is missing.
int required_int(const XmlElement& element, std::string_view name);
std::optional<int> find_int(const XmlElement& element, std::string_view name);

/// The names of the members of a tag in a protocol.
struct TagSpelling {
    std::string_view key, value;
};
inline constexpr TagSpelling query_tags{"Key", "Value"}, ec2_tags{"key", "value"};

/// A tag without a value has the empty value. A tag without a key is left out.
Labels read_tags(const XmlElement& element, std::string_view list, TagSpelling spelling);
/// The texts of a list's items, without empty ones.
std::vector<std::string> read_texts(const XmlElement& element, std::string_view list);

/// The values sorted and without duplicates, in batches of at most `size`.
std::vector<std::vector<std::string>> batches_of(std::vector<std::string> values, std::size_t size);

}  // namespace capstan::aws
