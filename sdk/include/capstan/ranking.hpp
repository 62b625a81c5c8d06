/// For expanders that compute a value for each option and keep the best one. Selects the options
/// and explains the choice:
///
///     struct FewerNodes {
///         bool better(int a, int b) const { return a < b; }
///         std::string describe(int nodes) const { return "needs " + counted(nodes, "node"); }
///     };
///     keep_best(call, keep, ranked, FewerNodes{});
///     // "keeps web-b: needs 2 nodes; next best web-a: needs 3 nodes"
///
/// A ranking may also have `bool ties(best, other)`, if options may tie although one is slightly
/// better, and `double score(value)`, if the value is not a number.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/expander.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// An option and its value.
template <class Value>
struct Ranked {
    OptionView option;
    Value value;
};

/// The groups of some options, for a sentence: "web-a, web-b, web-c, web-d, web-e and 12 more".
template <class Options>
std::string group_names(const Options& options) {
    return listed(options, [](const OptionView& option) { return option.group().id(); });
}

namespace detail {

template <class Value, class Ranking>
bool ties(const Ranking& ranking, const Value& best, const Value& other) {
    if constexpr (requires { ranking.ties(best, other); }) {
        return ranking.ties(best, other);
    } else {
        return !ranking.better(best, other);
    }
}

template <class Value, class Ranking>
double score(const Ranking& ranking, const Value& value) {
    if constexpr (requires { ranking.score(value); }) {
        return ranking.score(value);
    } else {
        return static_cast<double>(value);
    }
}

/// The best by `better`, and of equals the first; NULL: `ranked` is empty.
template <class Value, class Ranking>
const Ranked<Value>* find_best(const std::vector<Ranked<Value>>& ranked, const Ranking& ranking) {
    const auto at = std::min_element(
        ranked.begin(), ranked.end(),
        [&](const auto& a, const auto& b) { return ranking.better(a.value, b.value); });
    return at == ranked.end() ? nullptr : &*at;
}

/// The description of the best option. Names that option unless all kept options have the same
/// description.
template <class Value, class Ranking>
std::string describe_kept(const Ranked<Value>& best, const std::vector<const Ranked<Value>*>& kept,
                          const Ranking& ranking) {
    const std::string described(ranking.describe(best.value));
    const bool true_of_all = std::all_of(kept.begin(), kept.end(), [&](const Ranked<Value>* r) {
        return ranking.describe(r->value) == described;
    });
    return (true_of_all ? ": " : ", such as " + std::string(best.option.group().id()) + ": ") +
           described;
}

}  // namespace detail

/// Keeps the best of `ranked` and all that tie with it, and explains the choice. Keeps nothing if
/// `ranked` is empty.
template <class Value, class Ranking>
void keep_best(const Call& call, const Selection& keep, const std::vector<Ranked<Value>>& ranked,
               const Ranking& ranking) {
    const Ranked<Value>* best = detail::find_best(ranked, ranking);
    if (best == nullptr) return;
    std::vector<const Ranked<Value>*> kept;
    std::vector<Ranked<Value>> others;
    for (const Ranked<Value>& r : ranked) {
        if (!detail::ties(ranking, best->value, r.value)) {
            others.push_back(r);
            continue;
        }
        keep(r.option, detail::score(ranking, r.value));
        kept.push_back(&r);
    }
    const Ranked<Value>* next = detail::find_best(others, ranking);
    call.explain("keeps " + listed(kept, [](const auto* r) { return r->option.group().id(); }) +
                 (kept.size() > 1 ? " (" + std::to_string(kept.size()) + " of " +
                                        std::to_string(ranked.size()) + ")"
                                  : std::string()) +
                 detail::describe_kept(*best, kept, ranking) +
                 (next == nullptr ? std::string()
                                  : "; next best " + std::string(next->option.group().id()) + ": " +
                                        std::string(ranking.describe(next->value))));
}

/// Keeps every option, because there is no reason to prefer one: `why` completes the sentence
/// "keeps all 3 options: ...".
inline void keep_all(const Call& call, const Selection& keep, const OptionList& options,
                     std::string_view why) {
    for (const OptionView option : options) keep(option);
    call.explain("keeps " +
                 (options.size() == 1 ? std::string("the only option")
                                      : "all " + counted(options.size(), "option")) +
                 ": " + std::string(why));
}

CAPSTAN_NAMESPACE_END
