#include "runtime/part_times.hpp"

namespace capstan::runtime {

void PartClock::begin(engine::Part part) { begun_[part] = std::chrono::steady_clock::now(); }

void PartClock::end(engine::Part part) {
    times_[part] += std::chrono::steady_clock::now() - begun_.at(part);
}

}  // namespace capstan::runtime
