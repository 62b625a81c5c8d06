/// The result of an expander must not depend on the order of the options.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <capstan/testing/builders.hpp>

namespace capstan::tests {

/// The groups that are kept if the options are shuffled with `seed`.
template <Expander T>
std::set<std::string> kept_shuffled(T expander, const testing::Question& question, unsigned seed,
                                    const testing::FakeCall& call) {
    const View<capstan_option> given(question.raw().options);
    std::vector<capstan_option> options(given.begin(), given.end());
    std::mt19937 random(seed);
    std::shuffle(options.begin(), options.end(), random);
    capstan_expander_request in = question.raw();
    in.options = array_of(options);
    std::set<std::string> out;
    const detail::ExpanderTable<T> crossing(expander);
    for (const std::uint32_t i : testing::ask(crossing.table, in, call).kept)
        out.emplace(text(options[i].group->id));
    return out;
}

/// The first seed whose order changes the result; absent if none of twenty does.
template <Expander T>
std::optional<unsigned> find_order_that_matters(const T& expander,
                                                const testing::Question& question) {
    const testing::FakeCall call;
    const auto usual = testing::kept(expander, question, call);
    const std::set<std::string> expected(usual.begin(), usual.end());
    for (unsigned seed = 0; seed < 20; ++seed) {
        if (kept_shuffled(expander, question, seed, call) != expected) return seed;
    }
    return std::nullopt;
}

}  // namespace capstan::tests
