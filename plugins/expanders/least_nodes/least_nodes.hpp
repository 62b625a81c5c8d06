/// Keeps the options that need the fewest new nodes.
#pragma once

#include <capstan/expander.hpp>

namespace capstan::expanders {

/// An option of no nodes at all is a mistake of the caller: it is left out, also when nothing else
/// is there.
class LeastNodes {
public:
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
};

}  // namespace capstan::expanders
