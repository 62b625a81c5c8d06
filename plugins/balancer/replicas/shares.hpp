/// Shares replicas out by weight, within bounds.
///
/// Exact shares are rarely whole numbers, so each sharer's number is rounded. Bounds break
/// proportions: a sharer at its maximum leaves the calculation, and the others share what is left
/// by their own weights. All arithmetic is on whole numbers, so equal arguments give equal answers
/// on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace capstan::replicas {

/// How exact shares become whole numbers.
enum class Rounding {
    least_error,       ///< minimizes the largest difference between a share and its exact value
    highest_averages,  ///< D'Hondt's method: adding a replica never takes one away
};

/// A participant.
struct Sharer {
    std::string_view name;    ///< ties go to the lower name
    std::int64_t weight = 0;  ///< below one: the sharer gets nothing
    std::int64_t has = 0;     ///< in: what it keeps in any case; out: what it has in the end
    std::int64_t most = 0;    ///< it gets nothing above this; when it has more, it keeps that
    bool operator==(const Sharer&) const = default;
};

/// Hands out up to `rest` replicas in addition to what the sharers have. With least_error the
/// largest |has / N - weight / W| of the sharers below their `most` is as small as possible, where
/// N is what these sharers have together and W the sum of their weights; ties go to the lower name.
///     weights 60/30/10, the first at most 2, rest 10           ->  2/6/2
///     weights 7/45/10, the first two have 1 and 2, rest 1      ->  1/3/0
/// Returns the part of `rest` that no sharer could take. The time taken does not depend on `rest`.
std::int64_t share_out(std::int64_t rest, std::vector<Sharer>& sharers, Rounding rounding);

}  // namespace capstan::replicas
