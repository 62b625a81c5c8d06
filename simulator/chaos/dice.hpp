/// Random numbers that are the same on every machine and with every standard library.
#pragma once

#include <chrono>
#include <cstdint>

#include <capstan/time.hpp>

namespace capstan::simulator::chaos {

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

}  // namespace capstan::simulator::chaos
