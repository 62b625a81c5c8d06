/// Chance that is the same on every machine.
#pragma once

#include <cstdint>

#include <capstan/time.hpp>

namespace capstan::simulation::chaos {

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

}  // namespace capstan::simulation::chaos
