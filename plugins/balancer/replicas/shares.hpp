/// Sharing replicas out by weight, within bounds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace capstan::replicas {

/// What to do where exact shares are no whole numbers.
enum class Rounding {
    least_error,       ///< the largest difference of shares is least
    highest_averages,  ///< D'Hondt: one more replica never takes one from any target
};

/// One that takes part.
struct Sharer {
    std::string_view name;    ///< ties go to the lower one
    std::int64_t weight = 0;  ///< below one it gets nothing
    std::int64_t has = 0;     ///< keeps it in any case
    std::int64_t most = 0;    ///< at most this; a sharer that has more keeps it
    bool operator==(const Sharer&) const = default;
};

/// Hands out up to `rest` more. A sharer that reaches its most leaves the calculation with all it
/// has, and the others share what is left by their own weights. By least error the largest
/// |has / N - weight / W| of the others is then least, N being what they have together and W the
/// sum of their weights; ties go to the lower name.
///     weights 60/30/10, the first at most 2, rest 10           ->  2/6/2
///     weights 7/45/10, the first two have 1 and 2, rest 1      ->  1/3/0
/// Returns what no sharer could take. Time does not depend on `rest`.
std::int64_t share_out(std::int64_t rest, std::vector<Sharer>& sharers, Rounding rounding);

}  // namespace capstan::replicas
