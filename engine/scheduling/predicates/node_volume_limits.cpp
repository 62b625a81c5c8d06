#include "engine/scheduling/predicates/node_volume_limits.hpp"

#include <algorithm>
#include <cstddef>

namespace capstan::engine::scheduling {

std::optional<std::string> check_node_volume_limits(
    const VolumesByDriver& wanted, const VolumesByDriver& attached,
    const std::map<std::string, std::optional<int>>& limits) {
    static const std::set<std::string> none;
    for (const auto& [driver, handles] : wanted) {
        const auto found = limits.find(driver);
        if (found == limits.end()) continue;
        const std::optional<int>& limit = found->second;
        if (!limit) continue;
        const auto at = attached.find(driver);
        const std::set<std::string>& there = at != attached.end() ? at->second : none;
        const auto more = static_cast<std::size_t>(
            std::count_if(handles.begin(), handles.end(),
                          [&](const std::string& handle) { return !there.contains(handle); }));
        const auto most = static_cast<std::size_t>(std::max(*limit, 0));
        if (more == 0 || there.size() + more <= most) continue;
        return "node(s) exceed max volume count: needs " + std::to_string(more) + " of " + driver +
               ", " + std::to_string(there.size()) + " of " + std::to_string(most) +
               " are attached";
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling
