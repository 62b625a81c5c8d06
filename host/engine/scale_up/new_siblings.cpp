#include "engine/scale_up/new_siblings.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace capstan::engine {
namespace {

/// Marks the option's pods; whether one of them was not yet.
bool cover(const Option& option, std::vector<bool>& covered) {
    bool any = false;
    for (const Demand& demand : option.prospect->helped) {
        if (demand.subject >= covered.size()) covered.resize(demand.subject + 1, false);
        any = any || !covered[demand.subject];
        covered[demand.subject] = true;
    }
    return any;
}

/// Groups that other pods will need, as far as one can tell without choosing for them: those with
/// the most pods are taken first.
int count_needed_besides(std::span<const Option> options, std::size_t chosen, const Ledger& ledger,
                         int enough) {
    std::vector<bool> covered;
    cover(options[chosen], covered);
    std::vector<const Option*> new_ones;
    for (const Option& option : options) {
        if (ledger.is_new(option.group)) {
            new_ones.push_back(&option);
        } else {
            cover(option, covered);
        }
    }
    std::ranges::stable_sort(new_ones, std::ranges::greater(),
                             [](const Option* option) { return option->prospect->pods; });
    int needed = 0;
    const Prospect* last = nullptr;  // groups of different zones often have it in common
    for (const Option* option : new_ones) {
        if (needed >= enough) break;
        if (option->prospect.get() != last && cover(*option, covered)) ++needed;
        last = option->prospect.get();
    }
    return needed;
}

}  // namespace

std::vector<GroupIndex> drop_new_siblings(std::vector<GroupIndex>& groups,
                                          std::span<const Option> options, std::size_t chosen,
                                          const Ledger& ledger) {
    const GroupIndex own = options[chosen].group;
    const std::optional<int> left = ledger.new_groups_left();
    const auto is_sibling = [&](GroupIndex group) { return group != own && ledger.is_new(group); };
    const auto siblings = static_cast<int>(std::ranges::count_if(groups, is_sibling));
    if (!left || siblings == 0) return {};
    const int room = *left - (ledger.is_new(own) ? 1 : 0);
    int kept = std::clamp(room - count_needed_besides(options, chosen, ledger, room), 0, siblings);
    std::vector<GroupIndex> dropped;
    std::erase_if(groups, [&](GroupIndex group) {
        if (!is_sibling(group) || kept-- > 0) return false;
        dropped.push_back(group);
        return true;
    });
    return dropped;
}

}  // namespace capstan::engine
