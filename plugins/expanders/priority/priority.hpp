/// Keeps the options whose group has the highest priority.
#pragma once

#include <memory>
#include <mutex>

#include <capstan/expander.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// A group has the highest of the priorities of which a pattern matches its id. Groups that none
/// matches are left out; when none matches any, or there are no tiers, all pass.
class Priority {
public:
    explicit Priority(Tiers tiers);
    Priority(const Priority& other) : tiers_(other.tiers()) {}
    /// Goes by the tiers that are there when it begins. [any thread]
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
    /// [any thread]
    void replace(Tiers tiers);

private:
    std::shared_ptr<const Tiers> tiers() const;

    mutable std::mutex mutex_;
    std::shared_ptr<const Tiers> tiers_;
};

}  // namespace capstan::expanders
