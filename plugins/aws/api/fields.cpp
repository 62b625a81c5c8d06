#include "fields.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

#include <capstan/result.hpp>

namespace capstan::aws {
namespace {

int as_int(const XmlElement& element, std::string_view name, std::int64_t value) {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
        throw Failure(ErrorCode::unavailable, element.child(name).path() + ": " +
                                                  std::to_string(value) + " is out of range");
    return static_cast<int>(value);
}

}  // namespace

int required_int(const XmlElement& element, std::string_view name) {
    return as_int(element, name, element.required_integer(name));
}

std::optional<int> find_int(const XmlElement& element, std::string_view name) {
    const std::optional<std::int64_t> value = element.integer(name);
    if (!value) return std::nullopt;
    return as_int(element, name, *value);
}

Labels read_tags(const XmlElement& element, std::string_view list, TagSpelling spelling) {
    Labels out;
    for (const XmlElement& tag : element.items(list)) {
        std::string key = tag.text(spelling.key);
        if (!key.empty()) out.insert_or_assign(std::move(key), tag.text(spelling.value));
    }
    return out;
}

std::vector<std::string> read_texts(const XmlElement& element, std::string_view list) {
    std::vector<std::string> out;
    for (const XmlElement& item : element.items(list)) {
        std::string text = item.text();
        if (!text.empty()) out.push_back(std::move(text));
    }
    return out;
}

std::vector<std::vector<std::string>> batches_of(std::vector<std::string> values,
                                                 std::size_t size) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::vector<std::string>> out;
    for (std::size_t at = 0; at < values.size(); at += size) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end =
            values.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, values.size()));
        out.emplace_back(std::make_move_iterator(begin), std::make_move_iterator(end));
    }
    return out;
}

}  // namespace capstan::aws
