/// How long something is left alone after failures in a row, a group as well as a machine that
/// cannot be removed:
///
///     the first failure            ->  `first`
///     one while it is left alone   ->  as long as before: several failures then are one
///     one after that               ->  twice as long, up to `most`
///     long none                    ->  forgotten, the next failure is a first one
///
/// The last instant of a group's back-off belongs to it (upstream's reading). A removal may be
/// tried again at the very end of its own. So the caller tells whether a back-off has ended.
#pragma once

#include <capstan/error.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

struct BackoffLengths {
    Duration first{};
    Duration most{};
};

/// `before`: the length after the last failure in the row; zero: there was none. `still_alone`:
/// that back-off has not ended.
Duration next_backoff_length(Duration before, bool still_alone,
                             const BackoffLengths& lengths) noexcept;

/// The end of a back-off of `length` that begins now. A cloud that asks for more time gets it, up
/// to `most`.
Time find_backoff_end(const Error& error, Duration length, Duration most, Time now) noexcept;

/// Whether a back-off that ended at `until` counts no more: `since` is longer ago than `reset`.
bool is_backoff_past(Time until, Time since, Duration reset, Time now) noexcept;

}  // namespace capstan::engine
