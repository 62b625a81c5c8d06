#include "engine/actions.hpp"

#include <algorithm>

namespace capstan::engine {

std::string_view name_of(RemovalCause cause) noexcept {
    switch (cause) {
        case RemovalCause::underutilized: return "underutilized";
        case RemovalCause::empty: return "empty";
        case RemovalCause::unready: return "unready";
        case RemovalCause::never_joined: return "never_joined";
        case RemovalCause::failed: return "failed";
    }
    return "underutilized";
}

const Error* find_shortfall(const Results& results, std::size_t increase) noexcept {
    const bool is_told = increase < results.shortfalls.size() && results.shortfalls[increase];
    return is_told ? &*results.shortfalls[increase] : nullptr;
}

int count_agreed(const Increase& increase, const Results& results, std::size_t at) noexcept {
    const bool is_told = at < results.answered_targets.size() && results.answered_targets[at];
    if (find_shortfall(results, at) == nullptr || !is_told) return increase.by;
    return std::clamp(*results.answered_targets[at] - increase.from, 0, increase.by);
}

const Error* find_error(const std::vector<Error>& removal, const MachineId& machine) noexcept {
    const auto at = std::ranges::find_if(removal, [&](const Error& error) {
        return error.subject.empty() || error.subject == machine.value();
    });
    return at == removal.end() ? nullptr : &*at;
}

}  // namespace capstan::engine
