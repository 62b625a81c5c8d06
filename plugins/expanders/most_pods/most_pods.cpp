#include "most_pods.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/ranking.hpp>

namespace capstan::expanders {
namespace {

struct MorePods {
    bool better(std::uint32_t a, std::uint32_t b) const { return a > b; }
    std::string describe(std::uint32_t pods) const { return "schedules " + counted(pods, "pod"); }
};

}  // namespace

void MostPods::filter(const Call& call, const ExpanderRequest& request,
                      const Selection& keep) const {
    std::vector<Ranked<std::uint32_t>> ranked;
    for (const OptionView option : request.options())
        ranked.push_back({option, option.pod_count()});
    keep_best(call, keep, ranked, MorePods{});
}

}  // namespace capstan::expanders
