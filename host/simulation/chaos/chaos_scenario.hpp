/// A scenario with things that go wrong by chance on top of it.
#pragma once

#include <cstdint>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "simulation/input.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation::chaos {

// Chance that is the same on every machine.

/// Equal seeds, equal throws.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    /// SplitMix64.
    std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// From `least` to `most`, both included.
    int between(int least, int most) noexcept {
        const auto choices = static_cast<std::uint64_t>(most - least) + 1;
        return least + static_cast<int>(next() % choices);
    }
    /// In whole seconds, both ends included.
    Duration between(Duration least, Duration most) noexcept {
        using std::chrono::seconds;
        const auto span = static_cast<std::uint64_t>((most - least) / seconds(1));
        return least + seconds(next() % (span + 1));
    }
    bool one_in(int n) noexcept { return between(1, n) == 1; }

private:
    std::uint64_t state_;
};

/// `input` is what happens in `base` without its expectations, then calm. Until `faults` after the
/// start there are faults, targets that another client changes, pods that come, go and are scaled;
/// all faults are over by then. What chance has made impossible (an edit of a node that never came,
/// the target of a group that has left) is left out; what the base asks for and a cloud refuses
/// ends the run. Equal arguments give equal scenarios.
struct ChaosScenario {
    Input input{};
    Duration faults{0}, calm{0};
};
/// `clouds`: those of the base that are simulated. `invalid_config`: there is none.
Result<ChaosScenario> make_chaos_scenario(const Input& base,
                                          const std::vector<SimulatedCloud>& clouds,
                                          std::uint64_t seed);

}  // namespace capstan::simulation::chaos
