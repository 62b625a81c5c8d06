#include "node_groups.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/sentence.hpp>

#include "balance.hpp"

namespace capstan::balancer {
namespace {

Result<std::vector<GroupSize>> sizes_of(const GroupList& groups) {
    std::vector<GroupSize> out;
    for (const GroupView group : groups) {
        const auto target = group.target(), max = group.max();
        if (!target || !max) {
            return fail(
                ErrorCode::invalid_argument,
                "group " + std::string(group.id()) + " has no " + (target ? "maximum" : "target"));
        }
        out.push_back({group.id(), *target, *max});
    }
    return out;
}

void explain(const Call& call, int nodes, const std::vector<GroupSize>& sizes,
             const std::vector<Growth>& growths) {
    std::int64_t placed = 0;
    for (const Growth& g : growths) placed += g.by;
    const auto step = [&](const Growth& g) {
        const GroupSize& size = sizes[g.group];
        return std::string(size.id) + " from " + std::to_string(size.current) + " to " +
               std::to_string(std::int64_t{size.current} + g.by);
    };
    if (placed > 0)
        call.explain("distributes " + counted(placed, "node") + ": " + listed(growths, step));
    if (placed < nodes) {
        call.explain(counted(nodes - placed, "node") + " of " + std::to_string(nodes) +
                     " not placed: max node group size reached in " +
                     counted(static_cast<std::int64_t>(sizes.size()), "group"));
    }
}

}  // namespace

Result<void> NodeGroups::split(const Call& call, int nodes, const GroupList& groups,
                               const GroupIncreases& grow) const {
    if (nodes < 0) {
        return fail(ErrorCode::invalid_argument,
                    "cannot distribute " + std::to_string(nodes) + " nodes");
    }
    CAPSTAN_TRY(const std::vector<GroupSize> sizes, sizes_of(groups));
    const std::vector<Growth> growths = balance(sizes, nodes);
    for (const Growth& g : growths) grow(static_cast<std::uint32_t>(g.group), g.by);
    explain(call, nodes, sizes, growths);
    return {};
}

}  // namespace capstan::balancer
