/// Calls a decoder with a JSON text and returns its result and its problems.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

template <class T>
struct Decoded {
    T value;
    std::vector<std::string> problems;  ///< "/spec/priority expects ..."
};

template <class Decode>
auto decoded(Decode decode, std::string_view text) {
    const boost::json::value document = boost::json::parse(text);
    JsonProblems json_problems(document);
    auto value = decode(json_problems.root());
    std::vector<std::string> problems;
    for (const JsonProblem& problem : json_problems.kept())
        problems.push_back(problem.pointer + " " + problem.what);
    return Decoded<decltype(value)>{std::move(value), std::move(problems)};
}

}  // namespace capstan::kubernetes
