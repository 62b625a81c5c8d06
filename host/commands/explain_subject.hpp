/// What `capstan explain` is asked about, as it is typed.
#pragma once

#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/explainer.hpp"

namespace capstan::commands {

/// "pod", "group", "node", "matrix", "deployment", ...: what `explain` takes, as its help lists it.
std::vector<std::string> explained_kinds();

/// From `KIND NAME`, `KIND/NAME` or `KIND` alone, by kubectl's short and plural words as well
/// (`po`, `deployments`). A pod or workload is NS/NAME, or NAME in `ns`; both together have to
/// agree. `ns` empty: none was given, which means "default". The error says what is wrong.
///     pod/web-1, "", "shop"  ->  the pod shop/web-1
Result<simulation::Question> parse_question(const std::string& kind, const std::string& name,
                                            const std::string& ns);

}  // namespace capstan::commands
