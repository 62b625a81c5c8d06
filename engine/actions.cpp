#include "engine/actions.hpp"

#include <algorithm>

#include <capstan/ascii.hpp>

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
    if (increase >= results.shortfalls.size()) return nullptr;
    const std::optional<Error>& shortfall = results.shortfalls[increase];
    return shortfall ? &*shortfall : nullptr;
}

int count_agreed(const Increase& increase, const Results& results, std::size_t at) noexcept {
    const bool is_partial = find_shortfall(results, at) != nullptr;
    if (!is_partial || at >= results.answered_targets.size()) return increase.by;
    const std::optional<int>& answered = results.answered_targets[at];
    return answered ? std::clamp(*answered - increase.from, 0, increase.by) : increase.by;
}

const Error* find_error(const std::vector<Error>& removal, const MachineId& machine) noexcept {
    const auto at = std::ranges::find_if(removal, [&](const Error& error) {
        return error.subject.empty() || error.subject == machine.value();
    });
    return at == removal.end() ? nullptr : &*at;
}

std::string command_of(const Decrease& decrease) {
    return "decrease " + decrease.group.value() + " by " + std::to_string(decrease.by);
}

std::string command_of(const MachineRemoval& removal) {
    std::string out;
    for (std::size_t i = 0; i < removal.machines.size(); ++i) {
        const std::string node = i < removal.nodes.size() ? removal.nodes[i] : "";
        out += (out.empty() ? "remove " : ", ") + name_of_machine(removal.machines[i], node);
    }
    return out + " from " + removal.group.value();
}

std::string command_of(const GroupCreation& creation) { return "create " + creation.group.value(); }

std::string command_of(const GroupDeletion& deletion) { return "delete " + deletion.group.value(); }

std::string command_of(const Increase& increase) {
    return "increase " + increase.group.value() + " by " + std::to_string(increase.by);
}

std::string command_of(const Eviction& eviction) {
    return "evict " + eviction.ns + "/" + eviction.pod;
}

std::string name_of_machine(const MachineId& machine, const std::string& node) {
    if (!node.empty()) return node;
    const std::string& id = machine.value();
    const std::size_t slash = id.rfind('/');
    if (slash == std::string::npos) return id;
    const bool is_number = std::all_of(id.begin() + static_cast<std::ptrdiff_t>(slash) + 1,
                                       id.end(), [](char c) { return is_ascii_digit(c); });
    const std::size_t before = is_number && slash > 0 ? id.rfind('/', slash - 1) : slash;
    return before == std::string::npos ? id : id.substr(before + 1);
}

}  // namespace capstan::engine
