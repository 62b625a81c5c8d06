#include "simulation/name_search.hpp"

#include <algorithm>
#include <functional>

#include <capstan/sentence.hpp>

#include "runtime/config/text.hpp"

namespace capstan::simulation {
namespace {

std::vector<std::string> names_beginning_with(const std::string& start,
                                              const std::vector<std::string>& names) {
    const auto first = std::ranges::lower_bound(names, start);
    const auto last = std::find_if(first, names.end(),
                                   [&](const auto& name) { return !name.starts_with(start); });
    return {first, last};
}

std::string named(const std::vector<std::string>& names) {
    return listed(names, std::identity(), 8);
}

}  // namespace

Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown) {
    std::string name(typed);
    if (std::ranges::binary_search(names, name)) return name;
    for (const std::string& start : {name + ".", name}) {
        const std::vector<std::string> found = names_beginning_with(start, names);
        if (found.size() == 1) return found.front();
        if (found.size() > 1)
            return fail(ErrorCode::not_found,
                        std::string(unknown) + "; several begin so: " + named(found));
    }
    const std::string meant = runtime::suggestion(typed, names);
    if (!meant.empty()) return fail(ErrorCode::not_found, std::string(unknown) + meant);
    return fail(ErrorCode::not_found,
                std::string(unknown) +
                    (names.empty() ? "; there are none" : "; there are " + named(names)));
}

}  // namespace capstan::simulation
