#include "engine/scheduling/allowances.hpp"

#include <utility>

namespace capstan::engine {

void Allowances::remember(std::uint32_t subject) {
    if (subject >= of_.size()) of_.resize(subject + 1);
    changes_.push_back({.subject = subject, .before = of_[subject]});
}

void Allowances::set(std::uint32_t subject, std::uint32_t domain, int pods, std::size_t domains) {
    remember(subject);
    Allowance& own = of_[subject];
    if (!own.is_set) own.left.assign(domains, 0);
    own.is_set = true;
    own.left[domain] = pods;
}

void Allowances::end(std::uint32_t subject) {
    remember(subject);
    of_[subject] = {};
}

void Allowances::undo() {
    Change& last = changes_.back();
    of_[last.subject] = std::move(last.before);
    changes_.pop_back();
}

}  // namespace capstan::engine
