// Expanders that choose badly, for tests of the judge of chaos runs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <capstan/expander.hpp>
#include <capstan/model_views.hpp>
#include <capstan/plugin.hpp>

namespace {

using capstan::Call;
using capstan::ExpanderRequest;
using capstan::OptionView;
using capstan::Selection;

/// Keeps the first option with the highest value.
template <class Value>
void keep_most(const ExpanderRequest& request, const Selection& keep, Value value) {
    const auto options = request.options();
    const OptionView* best = nullptr;
    std::vector<OptionView> all;
    for (const OptionView option : options) all.push_back(option);
    for (const OptionView& option : all)
        if (best == nullptr || value(option) > value(*best)) best = &option;
    if (best != nullptr) keep(*best);
}

double cores_of(const OptionView& option) {
    const auto node = option.node();
    return node ? static_cast<double>(capstan::find(node->capacity(), "cpu").value_or(0)) : 0;
}

struct Dearest {
    void filter(const Call&, const ExpanderRequest& request, const Selection& keep) const {
        keep_most(request, keep, [](const OptionView& option) {
            return option.price_per_hour().value_or(0) * option.nodes();
        });
    }
};

struct Biggest {
    void filter(const Call&, const ExpanderRequest& request, const Selection& keep) const {
        keep_most(request, keep, cores_of);
    }
};

struct MostNodes {
    void filter(const Call&, const ExpanderRequest& request, const Selection& keep) const {
        keep_most(request, keep, [](const OptionView& option) { return option.nodes(); });
    }
};

struct FewestPods {
    void filter(const Call&, const ExpanderRequest& request, const Selection& keep) const {
        keep_most(request, keep, [](const OptionView& option) {
            return -static_cast<std::int64_t>(option.pod_count());
        });
    }
};

/// Keeps another option each time.
class ByTurns {
public:
    void filter(const Call&, const ExpanderRequest& request, const Selection& keep) {
        const auto options = request.options();
        if (options.size() > 0) keep(options[turn_++ % options.size()]);
    }

private:
    std::uint32_t turn_ = 0;
};

struct Nothing {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

}  // namespace

CAPSTAN_PLUGIN("capstan.bad_expanders", "1.0.0", "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Dearest>({.id = "dearest", .doc = "The highest price."}),
               capstan::make_class<Biggest>({.id = "biggest", .doc = "The largest machine."}),
               capstan::make_class<MostNodes>({.id = "most_nodes", .doc = "The most machines."}),
               capstan::make_class<FewestPods>({.id = "fewest_pods", .doc = "The fewest pods."}),
               capstan::make_class<ByTurns>({.id = "by_turns", .doc = "Another one each time."}),
               capstan::make_class<Nothing>({.id = "nothing", .doc = "No option."}))
