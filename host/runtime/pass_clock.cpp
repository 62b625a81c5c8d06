#include "runtime/pass_clock.hpp"

namespace capstan::runtime {

void PassPhaseTimer::begin(engine::PassPhase part) {
    begun_[part] = std::chrono::steady_clock::now();
}

void PassPhaseTimer::end(engine::PassPhase part) {
    times_[part] += std::chrono::steady_clock::now() - begun_.at(part);
}

}  // namespace capstan::runtime
