/// Moments of a memory that another process wrote, on this one's clock.
#pragma once

#include <optional>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"

namespace capstan::runtime {

/// Every moment of Memory is on the clock of the process that wrote it (PassTime::now), and goes on
/// by that clock alone. Another process knows how long before the writing it was, and by the wall
/// clock how long ago the writing was:
///
///     passed = read.wall - written.wall    0 where the wall clock was set back in between
///     a moment that was past               as long ago as it was then, and `passed` more
///     a moment to come (a deadline)        as far ahead as it was then, less `passed`
///
///     written at 12:00 (wall 12:20), read at 15:00 (wall 12:21)
///     unneeded since 11:55, 5m     ->     unneeded since 14:54, 6m
///     backed off until 12:10       ->     until 15:09
///
/// So no age is negative or longer than the wall clock can tell, and what is read, written and read
/// again has lost nothing. Only members called `until` and `deadline` may be to come; any other
/// that was is taken for `read.now`. Zero, which nothing has set, stays, as do Time::max(), never,
/// and Time::min(), a moment longer ago than a Time can tell.
///
/// `written` is when the text was written. Nothing: by a host that noted moments as the wall clock
/// showed them; they are as long ago as it shows.
engine::Memory read_back(engine::Memory memory, const std::optional<engine::PassTime>& written,
                         const engine::PassTime& read);

}  // namespace capstan::runtime
