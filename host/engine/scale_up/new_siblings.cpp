#include "engine/scale_up/new_siblings.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

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

/// Groups to make that pods will need which the chosen option does not help, as far as one can tell
/// without choosing for them: those with the most pods are taken first, of equals those that may
/// share anyway.
struct Needed {
    std::vector<GroupIndex> siblings{};  ///< of those that may share
    int others = 0;
};

Needed find_needed(std::span<const Option> options, std::size_t chosen, const Ledger& ledger,
                   std::span<const GroupIndex> sharing) {
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
    const auto may_share = [&](const Option* option) {
        return std::ranges::binary_search(sharing, option->group);
    };
    std::ranges::stable_sort(new_ones, std::ranges::greater(), [&](const Option* option) {
        return std::pair(option->prospect->pods, may_share(option));
    });
    Needed out;
    const Prospect* last = nullptr;  // groups of different zones often have it in common
    for (const Option* option : new_ones) {
        if (option->prospect.get() != last && cover(*option, covered)) {
            if (may_share(option)) {
                out.siblings.push_back(option->group);
            } else {
                ++out.others;
            }
        }
        last = option->prospect.get();
    }
    return out;
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
    const Needed needed = find_needed(options, chosen, ledger, groups);
    const int kept = std::clamp(room - needed.others, 0, siblings);
    const auto is_in = [](const std::vector<GroupIndex>& list, GroupIndex group) {
        return std::ranges::find(list, group) != list.end();
    };
    std::vector<GroupIndex> dropped;
    std::ranges::copy_if(groups, std::back_inserter(dropped), is_sibling);
    std::ranges::stable_sort(dropped, {}, [&](GroupIndex group) {
        if (is_in(needed.siblings, group)) return 0;
        return is_in(options[chosen].similar, group) ? 1 : 2;
    });
    dropped.erase(dropped.begin(), dropped.begin() + kept);
    std::ranges::sort(dropped);
    std::erase_if(groups,
                  [&](GroupIndex group) { return std::ranges::binary_search(dropped, group); });
    return dropped;
}

}  // namespace capstan::engine
