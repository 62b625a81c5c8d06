#include "random.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>

namespace capstan::expanders {
namespace {

/// The finisher of splitmix64: every bit of the answer depends on every bit of `x`.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

}  // namespace

std::uint64_t lot(std::uint64_t seed, std::string_view group_id) noexcept {
    // Seeds often count upwards; mixed first, neighbours have nothing in common.
    return mixed(mixed(seed) ^ fnv1a64(group_id));
}

void Random::filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const {
    const OptionList options = request.options();
    std::vector<std::tuple<std::uint64_t, std::string_view, std::uint32_t>> lots;
    for (const OptionView option : options) {
        // Complemented, so that the smallest tuple is the highest lot with the lowest id.
        lots.emplace_back(~lot(call.seed(), option.group().id()), option.group().id(),
                          option.index());
    }
    const auto winner = std::min_element(lots.begin(), lots.end());
    if (winner == lots.end()) return;
    keep(options[std::get<2>(*winner)]);
    call.explain("keeps " + std::string(std::get<1>(*winner)) + ": drawn from " +
                 counted(options.size(), "option") + " with seed " + std::to_string(call.seed()));
}

}  // namespace capstan::expanders
