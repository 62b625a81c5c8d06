/// JSON that a person typed: what is wrong with it is shown with its place.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <istream>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::runtime {

inline constexpr std::size_t json_bytes_max = std::size_t{256} << 20;
/// Deeper than any Pod, shallow enough for everything that recurses.
inline constexpr std::size_t json_depth_max = 128;

/// All of `in`. Fails with `invalid_argument` when there is more than `limit`.
Result<std::string> read_all(std::istream& in, std::size_t limit = json_bytes_max);

/// Fails with `invalid_argument`; the message shows the place in the text, which it calls `name`:
///     standard input:2:14: not JSON: syntax error
///         {"id": "a", }
///                     ^
Result<boost::json::value> parse_json(std::string_view text, std::string_view name);

/// Complains about members of `object` that are not among `known`: most are typing errors.
void refuse_unknown(const kubernetes::JsonPlace& object,
                    std::initializer_list<std::string_view> known);

/// One line for each problem: "standard input: /options/0/nodes: is missing".
std::string problems_text(const kubernetes::JsonProblems& problems, std::string_view name);

}  // namespace capstan::runtime
