#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace capstan::commands {

inline boost::json::array array_of_texts(const std::vector<std::string>& texts) {
    boost::json::array out;
    for (const std::string& t : texts) out.emplace_back(t);
    return out;
}

inline boost::json::value text_or_null(const std::optional<std::string>& text) {
    return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

}  // namespace capstan::commands
