#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

namespace capstan::commands {

inline boost::json::array array_of_texts(const std::vector<std::string>& texts) {
    boost::json::array out;
    for (const std::string& t : texts) out.emplace_back(t);
    return out;
}

}  // namespace capstan::commands
