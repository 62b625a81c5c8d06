#include "least_waste.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/ranking.hpp>
#include <capstan/units.hpp>

namespace capstan::expanders {
namespace {

// Equal waste may differ in the last bits, because it is a sum of quotients.
constexpr double rounding = 1e-9;

struct Share {
    std::string_view resource;
    double wasted;  ///< part of the amount offered, 0 to 1
};

struct Waste {
    double total = 0;
    std::vector<Share> shares{};  ///< ordered by resource
    MilliCpu unused_cpu;          ///< of all nodes
    Bytes unused_memory;          ///< of all nodes
    bool lost_tie = false;  ///< wastes as much as the best, and costs more or leaves more unused
};

struct LessWaste {
    double tolerance;
    bool better(const Waste& a, const Waste& b) const {
        return a.lost_tie != b.lost_tie ? b.lost_tie : a.total < b.total;
    }
    bool ties(const Waste& best, const Waste& other) const {
        return !other.lost_tie && other.total <= best.total + tolerance + rounding;
    }
    double score(const Waste& waste) const { return waste.total; }
    std::string describe(const Waste& waste) const {
        const auto part = [](const Share& s) {
            return percent(s.wasted) + " of " + std::string(s.resource);
        };
        return "wastes " +
               (waste.shares.empty() ? "nothing that counts" : listed(waste.shares, part));
    }
};

View<capstan_quantity> amounts_of(const TemplateView& node, LeastWasteConfig::Of of) {
    switch (of) {
        case LeastWasteConfig::Of::capacity: return node.capacity();
        case LeastWasteConfig::Of::free: return node.free();
        case LeastWasteConfig::Of::allocatable: break;
    }
    return node.allocatable();
}

bool states(View<capstan_quantity> amounts, std::string_view resource) {
    return find(amounts, resource).value_or(0) > 0;
}

/// Every machine has these resources, whether its template states them or not.
constexpr std::string_view on_every_machine[] = {"cpu", "memory", "ephemeral-storage", "pods"};

class WasteCalculator {
public:
    WasteCalculator(const LeastWasteConfig& config, const OptionList& options) : config_(config) {
        for (const OptionView option : options)
            (has_usable_template(option) ? with_template_ : without_template_).push_back(option);
        for (const std::string_view resource : on_every_machine) {
            if (!all_state(resource)) incomparable_.push_back(resource);
        }
    }
    const std::vector<OptionView>& without_template() const { return without_template_; }
    std::vector<Ranked<Waste>> ranked() const {
        std::vector<Ranked<Waste>> out;
        for (const OptionView& option : with_template_) out.push_back({option, waste_of(option)});
        return out;
    }

private:
    View<capstan_quantity> amounts(const OptionView& option) const {
        const std::optional<TemplateView> node = option.node();
        CAPSTAN_ASSERT(node, "an option without a template is compared");
        return amounts_of(*node, config_.of);
    }
    bool counts(std::string_view resource) const {
        return config_.weight_of(resource) > 0 &&
               std::find(incomparable_.begin(), incomparable_.end(), resource) ==
                   incomparable_.end();
    }
    bool has_usable_template(const OptionView& option) const {
        if (!option.node() || option.nodes() < 1) return false;
        for (const char* resource : {"cpu", "memory"}) {
            if (counts(resource) && !states(amounts(option), resource)) return false;
        }
        return true;
    }
    bool all_state(std::string_view resource) const {
        return std::all_of(
            with_template_.begin(), with_template_.end(),
            [&](const OptionView& option) { return states(amounts(option), resource); });
    }
    Waste waste_of(const OptionView& option) const {
        Waste out;
        for (const capstan_quantity& offered : amounts(option)) {
            const std::string_view resource = text(offered.resource);
            if (offered.amount <= 0 || !counts(resource)) continue;
            // A single division, so that two nodes of half the size waste exactly as much as one.
            const double all = static_cast<double>(offered.amount) * option.nodes();
            const auto asked = static_cast<double>(find(option.requested(), resource).value_or(0));
            out.shares.push_back({resource, std::clamp(1 - asked / all, 0.0, 1.0)});
        }
        // Sorted, because a sum of doubles depends on the order and the answer must not.
        std::sort(out.shares.begin(), out.shares.end(),
                  [](const Share& a, const Share& b) { return a.resource < b.resource; });
        for (const Share& share : out.shares)
            out.total += config_.weight_of(share.resource) * share.wasted;
        out.unused_cpu = unused<MilliCpu>(option, "cpu");
        out.unused_memory = unused<Bytes>(option, "memory");
        return out;
    }
    template <class Quantity>
    Quantity unused(const OptionView& option, std::string_view resource) const {
        if (!counts(resource)) return Quantity(0);
        return Quantity(find(amounts(option), resource).value_or(0)) * option.nodes() -
               Quantity(find(option.requested(), resource).value_or(0));
    }

    const LeastWasteConfig& config_;
    std::vector<OptionView> with_template_, without_template_;
    std::vector<std::string_view>
        incomparable_;  ///< resources of every machine that some template does not state
};

bool help_same_pods(const OptionView& a, const OptionView& b) {
    const auto same = [](const capstan_pod_share& x, const capstan_pod_share& y) {
        return x.equivalence_group == y.equivalence_group && x.count == y.count;
    };
    const auto of_a = a.pods(), of_b = b.pods();
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), same);
}

/// Options that waste the same share and help the same pods; never empty.
using Tied = std::vector<Ranked<Waste>*>;

/// The options with the least waste, those that help the same pods together.
std::vector<Tied> find_ties(std::vector<Ranked<Waste>>& ranked) {
    double least = ranked.front().value.total;
    for (const Ranked<Waste>& option : ranked) least = std::min(least, option.value.total);
    std::vector<Tied> out;
    for (Ranked<Waste>& option : ranked) {
        if (option.value.total > least + rounding) continue;
        const auto at = std::find_if(out.begin(), out.end(), [&](const Tied& tied) {
            return help_same_pods(tied.front()->option, option.option);
        });
        if (at == out.end()) {
            out.push_back({&option});
        } else {
            at->push_back(&option);
        }
    }
    return out;
}

/// Takes the options out of `tied` that another one beats, and marks them.
template <class Beats>
void narrow(Tied& tied, Beats beats) {
    const Tied all = tied;
    for (Ranked<Waste>* option : all)
        option->value.lost_tie = std::any_of(
            all.begin(), all.end(), [&](const auto* other) { return beats(*other, *option); });
    tied.erase(std::remove_if(tied.begin(), tied.end(),
                              [](const auto* option) { return option->value.lost_tie; }),
               tied.end());
}

/// Whether the nodes of one option leave less unused of cpu or memory, and no more of the other.
bool leaves_less(const Waste& a, const Waste& b) {
    return a.unused_cpu <= b.unused_cpu && a.unused_memory <= b.unused_memory &&
           (a.unused_cpu < b.unused_cpu || a.unused_memory < b.unused_memory);
}

/// Breaks a tie by price, if the cloud tells the price of each option, and then by the cores and
/// the memory that the nodes leave unused. Waste is a share: if the pods request nothing, all nodes
/// waste the same share, whatever their size.
void break_tie(const Call& call, Tied tied) {
    const std::size_t count = tied.size();
    const auto price_of = [](const Ranked<Waste>& option) {
        return option.option.price_per_hour().value_or(-1) * option.option.nodes();
    };
    const bool all_priced = std::all_of(tied.begin(), tied.end(), [&](const auto* option) {
        const double price = price_of(*option);
        return std::isfinite(price) && price >= 0;
    });
    if (all_priced)
        narrow(tied, [&](const Ranked<Waste>& a, const Ranked<Waste>& b) {
            return price_of(a) * (1 + rounding) < price_of(b);
        });
    const bool by_price = tied.size() < count;
    narrow(tied, [](const Ranked<Waste>& a, const Ranked<Waste>& b) {
        return leaves_less(a.value, b.value);
    });
    if (tied.size() == count) return;
    call.explain(counted(count, "option") + " waste the same share; " +
                 listed(tied, [](const auto* option) { return option->option.group().id(); }) +
                 (by_price ? " cost" : " leave") + (tied.size() == 1 ? "s" : "") +
                 (by_price ? " the least" : " the least unused"));
}

}  // namespace

void LeastWaste::filter(const Call& call, const ExpanderRequest& request,
                        const Selection& keep) const {
    const WasteCalculator calculator(config_, request.options());
    std::vector<Ranked<Waste>> ranked = calculator.ranked();
    if (ranked.empty()) {
        return keep_all(call, keep, request.options(),
                        "no option has a template with cpu and memory");
    }
    if (!calculator.without_template().empty()) {
        call.explain("leaves out " + group_names(calculator.without_template()) +
                     ": no template with cpu and memory");
    }
    // With a tolerance, it is for the next stage to choose among options that count as equal.
    if (config_.tolerance == 0)
        for (Tied& tied : find_ties(ranked)) break_tie(call, std::move(tied));
    keep_best(call, keep, ranked, LessWaste{config_.tolerance});
}

}  // namespace capstan::expanders
