#include "priority.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/ranking.hpp>

namespace capstan::expanders {
namespace {

struct Match {
    std::int64_t priority = 0;
    const Pattern* pattern = nullptr;
};

struct HigherPriority {
    bool better(const Match& a, const Match& b) const { return a.priority > b.priority; }
    double score(const Match& match) const { return static_cast<double>(match.priority); }
    std::string describe(const Match& match) const {
        return "priority " + std::to_string(match.priority) + " (matches " +
               in_quotes(match.pattern->written()) + ")";
    }
};

std::optional<Match> find_match(const Tiers& tiers, std::string_view group_id) {
    for (const auto& [priority, patterns] : tiers) {
        for (const Pattern& pattern : patterns) {
            if (pattern.matches(group_id)) return Match{priority, &pattern};
        }
    }
    return std::nullopt;
}

}  // namespace

Priority::Priority(Tiers tiers) : tiers_(std::make_shared<const Tiers>(std::move(tiers))) {}

void Priority::replace(Tiers tiers) {
    auto replacement = std::make_shared<const Tiers>(std::move(tiers));
    const std::lock_guard lock(mutex_);
    tiers_.swap(replacement);
}

std::shared_ptr<const Tiers> Priority::tiers() const {
    const std::lock_guard lock(mutex_);
    return tiers_;
}

void Priority::filter(const Call& call, const ExpanderRequest& request,
                      const Selection& keep) const {
    const std::shared_ptr<const Tiers> tiers = this->tiers();
    if (tiers->empty()) return keep_all(call, keep, request.options(), "no priorities are set");
    std::vector<Ranked<Match>> ranked;
    std::vector<OptionView> unmatched;
    for (const OptionView option : request.options()) {
        if (const auto match = find_match(*tiers, option.group().id())) {
            ranked.push_back({option, *match});
        } else {
            unmatched.push_back(option);
        }
    }
    if (ranked.empty())
        return keep_all(call, keep, request.options(), "no priority matches any option");
    if (!unmatched.empty())
        call.explain("leaves out " + group_names(unmatched) + ": no priority matches");
    keep_best(call, keep, ranked, HigherPriority{});
}

}  // namespace capstan::expanders
