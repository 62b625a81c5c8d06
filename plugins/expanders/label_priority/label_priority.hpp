/// Keeps the options whose node template has the highest number in a label.
#pragma once

#include <utility>

#include <capstan/expander.hpp>

#include "config.hpp"

namespace capstan::expanders {

/// A missing label counts as 0. So does a label whose value is not a 64-bit integer, and the
/// explanation says so. Groups without a template are left out; if no group has one, all options
/// are kept.
class LabelPriority {
public:
    explicit LabelPriority(LabelPriorityConfig config) : config_(std::move(config)) {}
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;

private:
    LabelPriorityConfig config_;
};

}  // namespace capstan::expanders
