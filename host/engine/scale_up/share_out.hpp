/// How the nodes of an option are shared out among its group and similar ones.
#pragma once

#include <string>
#include <vector>

#include "engine/pass.hpp"
#include "engine/scale_up/ledger.hpp"
#include "engine/scale_up/options.hpp"

namespace capstan::engine {

struct Share {
    GroupIndex group = 0;
    int nodes = 0;
    bool operator==(const Share&) const = default;
};

struct SharedOut {
    std::vector<Share> shares{};  ///< by group, none of zero
    std::string note{};           ///< what the splitter did wrong; empty: nothing
};

/// The limits of the cluster have been applied to `option.nodes` before; what a group cannot take
/// of its share is shared out again among the others. A splitter that fails, or whose answer breaks
/// its contract, leaves all nodes to the option's own group, as far as that has room.
SharedOut share_out(const Scene& scene, const Ledger& ledger, const Policies& policies,
                    const Circumstances& circumstances, const Option& option);

}  // namespace capstan::engine
