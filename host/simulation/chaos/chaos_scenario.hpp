/// A scenario with random faults and random external events on top of it.
#pragma once

#include <cstdint>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "simulation/input.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation::chaos {

// Random numbers that are the same on every machine and with every standard library.

/// Equal seeds give equal sequences.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    /// All 64 bits, by SplitMix64.
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
    /// True with a probability of 1/n.
    bool one_in(int n) noexcept { return between(1, n) == 1; }

private:
    std::uint64_t state_;
};

/// A run in two parts. The stormy part plays the steps of the base scenario without their
/// expectations, and adds faults, targets that another client sets, nodes that settle late, and
/// pods that come, go and are scaled. The calm part has no events at all, and all faults are over
/// when it begins.
///
/// An action that chance has made impossible (an edit of a node that never came, the target of a
/// group that has left) is left out. An action of the base that a cloud refuses ends the run.
struct ChaosScenario {
    Input input{};
    Duration faults{0};  ///< the length of the stormy part
    Duration calm{0};    ///< the length of the calm part
};
/// Equal arguments give equal scenarios. `clouds`: the simulated clouds of the base.
/// `invalid_config`: `clouds` is empty.
Result<ChaosScenario> make_chaos_scenario(const Input& base,
                                          const std::vector<SimulatedCloud>& clouds,
                                          std::uint64_t seed);

}  // namespace capstan::simulation::chaos
