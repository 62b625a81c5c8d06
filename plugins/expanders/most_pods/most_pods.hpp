/// Keeps the options that help the most pods.
#pragma once

#include <capstan/expander.hpp>

namespace capstan::expanders {

class MostPods {
public:
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
};

}  // namespace capstan::expanders
