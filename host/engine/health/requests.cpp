#include "engine/health/requests.hpp"

#include <utility>

#include "engine/health/backoff.hpp"

namespace capstan::engine {

Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now) {
    for (std::size_t i = 0; i < results.increases.size(); ++i) {
        if (!results.increases[i]) continue;
        memory = remember_failure(std::move(memory), decision.increases[i].group,
                                  *results.increases[i], settings, now);
    }
    return memory;
}

}  // namespace capstan::engine
