/// Retries of writes after conflicts.
#pragma once

#include <optional>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::kubernetes::client {

/// Allows five tries in all. The waits between them are 10, 20, 40 and 80 ms plus up to as much
/// again by chance, so that two writers do not keep conflicting.
class WriteConflicts {
public:
    /// Borrows `random`.
    explicit WriteConflicts(io::RandomSource& random) : random_(&random) {}

    /// How long to wait before the object is read and written again. Absent: the tries are used
    /// up.
    std::optional<Duration> next_delay() {
        if (++conflicts_ == tries) return std::nullopt;
        const auto base = std::chrono::milliseconds(10) * (1 << (conflicts_ - 1));
        return base + base * static_cast<int>(random_->next() % 1024) / 1024;
    }

private:
    static constexpr int tries = 5;
    io::RandomSource* random_;
    int conflicts_ = 0;
};

}  // namespace capstan::kubernetes::client
