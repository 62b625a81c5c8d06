/// Keeps the options whose group has the highest priority.
#pragma once

#include <memory>
#include <mutex>

#include <capstan/expander.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// The priority of a group is the highest one with a pattern that matches the group's id. Groups
/// that no pattern matches are left out. When no pattern matches any group, or there are no tiers,
/// all options pass.
class Priority {
public:
    explicit Priority(Tiers tiers);
    Priority(const Priority& other) : tiers_(other.tiers()) {}
    /// Uses the tiers as they are when the call begins. [any thread]
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
    /// Replaces the tiers for later calls. [any thread]
    void replace(Tiers tiers);

private:
    std::shared_ptr<const Tiers> tiers() const;

    mutable std::mutex mutex_;
    std::shared_ptr<const Tiers> tiers_;
};

}  // namespace capstan::expanders
