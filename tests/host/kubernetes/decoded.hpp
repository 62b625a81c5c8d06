/// What a decoder makes of a short JSON text, with what it complained about.
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
    std::vector<std::string> complaints;  ///< "/spec/priority expects ..."
};

template <class Decode>
auto decoded(Decode decode, std::string_view text) {
    const boost::json::value document = boost::json::parse(text);
    JsonProblems problems(document);
    auto value = decode(problems.root());
    std::vector<std::string> complaints;
    for (const JsonProblem& problem : problems.kept())
        complaints.push_back(problem.pointer + " " + problem.what);
    return Decoded<decltype(value)>{std::move(value), std::move(complaints)};
}

}  // namespace capstan::kubernetes
