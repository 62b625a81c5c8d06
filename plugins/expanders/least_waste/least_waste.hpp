/// Keeps the options whose new nodes leave the least unused.
#pragma once

#include <utility>

#include <capstan/expander.hpp>

#include "config.hpp"

namespace capstan::expanders {

/// The waste of an option is the sum over resources of weight x (1 - requested / what its nodes
/// offer):
///     1 node of 4 cores and 16Gi for pods that ask for 3 cores and 8Gi  ->  0.25 + 0.5 = 0.75
/// A device that only some machines have (a GPU) is wasted on a machine that has it when no pod
/// requests it. A resource that every machine has (ephemeral storage) counts only if all templates
/// state it, since an unknown amount is not zero. A group without a template, or with one that does
/// not state cpu or memory, is left out; when that is so for all groups, all options pass.
class LeastWaste {
public:
    explicit LeastWaste(LeastWasteConfig config) : config_(std::move(config)) {}
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;

private:
    LeastWasteConfig config_;
};

}  // namespace capstan::expanders
