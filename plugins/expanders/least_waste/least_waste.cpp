#include "least_waste.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/ranking.hpp>

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
};

struct LessWaste {
    double tolerance;
    bool better(const Waste& a, const Waste& b) const { return a.total < b.total; }
    bool ties(const Waste& best, const Waste& other) const {
        return other.total <= best.total + tolerance + rounding;
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
        return amounts_of(*option.node(), config_.of);
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
        return out;
    }

    const LeastWasteConfig& config_;
    std::vector<OptionView> with_template_, without_template_;
    std::vector<std::string_view>
        incomparable_;  ///< resources of every machine that some template does not state
};

}  // namespace

void LeastWaste::filter(const Call& call, const ExpanderRequest& request,
                        const Selection& keep) const {
    const WasteCalculator calculator(config_, request.options());
    const std::vector<Ranked<Waste>> ranked = calculator.ranked();
    if (ranked.empty()) {
        return keep_all(call, keep, request.options(),
                        "none has a template that states cpu and memory");
    }
    if (!calculator.without_template().empty()) {
        call.explain("leaves out " + group_names(calculator.without_template()) +
                     ": no template that states cpu and memory");
    }
    keep_best(call, keep, ranked, LessWaste{config_.tolerance});
}

}  // namespace capstan::expanders
