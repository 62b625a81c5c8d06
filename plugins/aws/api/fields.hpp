/// Values of XML answers that several actions have alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "../wire/xml_reply.hpp"

namespace capstan::aws {

/// A whole number that an int holds. Absent where it may not be, no number, or too large: throws a
/// Failure (`unavailable`) with the element's path and its text.
int required_int(const XmlElement& element, std::string_view name);
std::optional<int> find_int(const XmlElement& element, std::string_view name);

/// How a protocol spells the members of a tag.
struct TagSpelling {
    std::string_view key, value;
};
inline constexpr TagSpelling query_tags{"Key", "Value"}, ec2_tags{"key", "value"};

/// A tag without a value has an empty one; one without a key is left out.
Labels read_tags(const XmlElement& element, std::string_view list, TagSpelling spelling);
/// The texts of a list's items, without the empty ones.
std::vector<std::string> read_texts(const XmlElement& element, std::string_view list);

/// The values without those that came before, sorted, in pieces of `size` at most.
std::vector<std::vector<std::string>> batches_of(std::vector<std::string> values, std::size_t size);

}  // namespace capstan::aws
