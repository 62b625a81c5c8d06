#include "resources.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/hash.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

#include "../ordered.hpp"

namespace capstan::similarity {
namespace {

__extension__ typedef __int128 Wide;

struct Named {
    std::string_view resource;
    std::int64_t amount;
};

/// One of the three lists of a template, and how far its amounts may differ.
struct Aspect {
    std::string_view name;
    View<capstan_quantity> (TemplateView::*amounts)() const noexcept;
    Tolerance memory, others;
};

std::array<Aspect, 3> aspects(const ResourcesConfig& config) {
    return {{{"capacity", &TemplateView::capacity, config.capacity_memory, Tolerance()},
             {"allocatable", &TemplateView::allocatable, config.allocatable, config.allocatable},
             {"free", &TemplateView::free, config.free, config.free}}};
}

Tolerance tolerance_of(const Aspect& aspect, std::string_view resource) {
    return resource == "memory" ? aspect.memory : aspect.others;
}

std::vector<Named> amounts_of(const Aspect& aspect, const TemplateView& node) {
    return ordered_by(&Named::resource, (node.*aspect.amounts)(),
                      [](const capstan_quantity& q) { return Named{text(q.resource), q.amount}; });
}

Wide distance(std::int64_t a, std::int64_t b) noexcept { return a > b ? Wide{a} - b : Wide{b} - a; }

/// The larger absolute value, so that negative amounts (overcommitted nodes) compare like others.
Wide larger(std::int64_t a, std::int64_t b) noexcept {
    return std::max(a < 0 ? -Wide{a} : Wide{a}, b < 0 ? -Wide{b} : Wide{b});
}

double share_apart(std::int64_t a, std::int64_t b) {
    return a == b ? 0 : static_cast<double>(distance(a, b)) / static_cast<double>(larger(a, b));
}

Similarity only_on(const Aspect& aspect, std::string_view resource, const TemplateView& node) {
    return differs(std::string(aspect.name) + ": only " + std::string(node.name()) + " has " +
                   std::string(resource));
}

Similarity too_far_apart(const Aspect& aspect, std::string_view resource, std::int64_t a,
                         std::int64_t b) {
    const Tolerance allowed = tolerance_of(aspect, resource);
    const std::string name(resource);
    return differs(std::string(aspect.name) + ": " + name + " differs, " + format_amount(name, a) +
                   " and " + format_amount(name, b) + " are " + percent(share_apart(a, b)) +
                   " apart, " +
                   (allowed.billionths() == 0 ? "they must be equal"
                                              : percent(allowed.share()) + " is allowed"));
}

/// The largest difference among the amounts that are within their tolerances.
struct Furthest {
    std::string_view aspect{}, resource{};
    double share = 0;
};

/// The reason why two templates differ in this aspect; absent: they do not.
std::optional<Similarity> find_difference(const Aspect& aspect, const TemplateView& a,
                                          const TemplateView& b, Furthest& furthest) {
    const std::vector<Named> amounts_a = amounts_of(aspect, a);
    const std::vector<Named> amounts_b = amounts_of(aspect, b);
    auto in_a = amounts_a.begin();
    auto in_b = amounts_b.begin();
    while (in_a != amounts_a.end() || in_b != amounts_b.end()) {
        if (in_b == amounts_b.end() ||
            (in_a != amounts_a.end() && in_a->resource < in_b->resource)) {
            return only_on(aspect, in_a->resource, a);
        }
        if (in_a == amounts_a.end() || in_b->resource < in_a->resource)
            return only_on(aspect, in_b->resource, b);
        if (!is_within(tolerance_of(aspect, in_a->resource), in_a->amount, in_b->amount)) {
            return too_far_apart(aspect, in_a->resource, in_a->amount, in_b->amount);
        }
        const double share = share_apart(in_a->amount, in_b->amount);
        if (share > furthest.share) furthest = {aspect.name, in_a->resource, share};
        ++in_a;
        ++in_b;
    }
    return std::nullopt;
}

/// Of all names of resources, and of the amounts that count.
template <class Counts>
std::uint64_t hash_of(const ResourcesConfig& config, const TemplateView& node, Counts counts) {
    Hash hash;
    for (const Aspect& aspect : aspects(config)) {
        hash.add(aspect.name);
        for (const Named& named : amounts_of(aspect, node)) {
            hash.add(named.resource);
            if (counts(aspect, named)) hash.add(named.amount);
        }
    }
    return hash.value();
}

}  // namespace

bool is_within(Tolerance tolerance, std::int64_t a, std::int64_t b) noexcept {
    return distance(a, b) * 1'000'000'000 <= larger(a, b) * tolerance.billionths();
}

Similarity ResourcesCheck::similar(const Call&, const TemplateView& a,
                                   const TemplateView& b) const {
    Furthest furthest;
    for (const Aspect& aspect : aspects(config_)) {
        if (auto difference = find_difference(aspect, a, b, furthest))
            return *std::move(difference);
    }
    if (furthest.share == 0) return agrees("capacity, allocatable and free are equal");
    return agrees("capacity, allocatable and free are close enough: at most " +
                  percent(furthest.share) + " apart (" + std::string(furthest.aspect) + " " +
                  std::string(furthest.resource) + ")");
}

std::uint64_t ResourcesCheck::bucket(const Call&, const TemplateView& node) const {
    return hash_of(config_, node, [](const Aspect& aspect, const Named& named) {
        return tolerance_of(aspect, named.resource).billionths() == 0;
    });
}

std::uint64_t ResourcesCheck::equivalence(const Call&, const TemplateView& node) const {
    return hash_of(config_, node, [](const Aspect&, const Named&) { return true; });
}

}  // namespace capstan::similarity
