/// What `capstan plugin call` prints: one line of JSON, its keys always in the same order.
#pragma once

#include <string>
#include <vector>

#include "commands/call_request.hpp"
#include "engine/policies.hpp"

namespace capstan::commands {

/// {"options":[0,2],"explain":["..."]}; indices are the request's, ascending.
std::string answer_of(const ExpanderRequest& request, const engine::FilterResult& narrowing);
/// {"similar":true,"decided":false,"because":"..."}
std::string answer_of(const Similarity& similarity);
/// {"deltas":{"a":3,"b":0}}; every group of the request, in its order.
std::string answer_of(const SplitterRequest& request, const std::vector<int>& growth);
/// {"error":"..."}
std::string answer_of(const Error& error);

}  // namespace capstan::commands
