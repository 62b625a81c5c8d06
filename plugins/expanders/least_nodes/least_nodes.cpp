#include "least_nodes.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/ranking.hpp>

namespace capstan::expanders {
namespace {

struct FewerNodes {
    bool better(std::int32_t a, std::int32_t b) const { return a < b; }
    std::string describe(std::int32_t nodes) const { return "needs " + counted(nodes, "node"); }
};

}  // namespace

void LeastNodes::filter(const Call& call, const ExpanderRequest& request,
                        const Selection& keep) const {
    std::vector<Ranked<std::int32_t>> ranked;
    std::vector<OptionView> empty;
    for (const OptionView option : request.options()) {
        if (option.nodes() > 0) {
            ranked.push_back({option, option.nodes()});
        } else {
            empty.push_back(option);
        }
    }
    if (!empty.empty()) call.explain("leaves out " + group_names(empty) + ": no new nodes");
    keep_best(call, keep, ranked, FewerNodes{});
}

}  // namespace capstan::expanders
