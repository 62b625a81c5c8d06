/// Keeps the options whose node template has the highest number in a label.
#pragma once

#include <utility>

#include <capstan/expander.hpp>

#include "config.hpp"

namespace capstan::expanders {

/// A label that is missing counts as 0, and so does one that is no whole number of 64 bits, with a
/// word about it. Groups without a template are left out, unless none has one: then all pass.
class LabelPriority {
public:
    explicit LabelPriority(LabelPriorityConfig config) : config_(std::move(config)) {}
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;

private:
    LabelPriorityConfig config_;
};

}  // namespace capstan::expanders
