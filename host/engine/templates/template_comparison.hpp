/// What a cloud says of a new node beside what a real one of its group is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

/// "capacity cpu", "label team", "taint dedicated:NoSchedule". Empty: that side has none.
struct TemplateField {
    std::string field{}, described{}, node{};
    bool operator==(const TemplateField&) const = default;
    bool is_same() const noexcept { return described == node; }
};

struct TemplateComparison {
    std::string node{};  ///< the youngest that a new one will look like; empty: there is none
    std::string not_compared_because{};   ///< a sentence; empty: it was compared
    std::vector<TemplateField> fields{};  ///< capacity, allocatable, labels, taints; each by name
};

/// A hostname, and taints that come and go, are left out.
TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall);

}  // namespace capstan::engine
