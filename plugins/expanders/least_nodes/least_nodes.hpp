/// Keeps the options that need the fewest new nodes.
#pragma once

#include <capstan/expander.hpp>

namespace capstan::expanders {

/// An option without nodes is a mistake of the caller. It is left out, even when no option remains.
class LeastNodes {
public:
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
};

}  // namespace capstan::expanders
