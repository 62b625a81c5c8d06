/// Texts that tell which version of a format they are of, as a member `version` from 1 on.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "kubernetes/json_cursor.hpp"
#include "runtime/record/json_form.hpp"
#include "runtime/record/json_reader.hpp"

namespace capstan::runtime::record {

/// The version of `root`, which is one up to `latest`; see parse_versioned.
Result<int> read_version(kubernetes::JsonProblems& problems, std::string_view name, int latest);
/// What has been complained about, as one error; nothing where nothing was.
Result<void> check_problems(const kubernetes::JsonProblems& problems, std::string_view name);

/// `invalid_argument`: no JSON, no version, or one line for each thing that is wrong, with its
/// place in what is called `name`. `unsupported`: a later version than `latest`; `host` says which
/// program wrote it. `rename_older` gives a document of version 1 the keys of version 2; places
/// that are complained of have these.

template <NamedMembers T>
Result<T> parse_versioned(std::string_view text, std::string_view name, int latest,
                          void (*rename_older)(boost::json::value& document)) {
    CAPSTAN_TRY(boost::json::value document, parse_json(text, name));
    kubernetes::JsonProblems problems(document);
    CAPSTAN_TRY(const int version, read_version(problems, name, latest));
    if (version < 2) rename_older(document);
    T out = read_json<T>(problems.root());
    CAPSTAN_CHECK(check_problems(problems, name));
    return out;
}

// Moments of a memory that another process wrote, on this one's clock.

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

// What outlives a pass, as text: in a ConfigMap between two runs of the host, in a file between
// two simulations.
//
//     {"version":2,"host":"1.2.0","written":{"now":"2026-...","wall":"2026-..."},
//      "memory":{"started":true,"unneeded":{"node-7":{"since":"2026-..."}}}}
//
// Its moments are on the clock of the process that wrote it; kept_times.hpp says how they are
// read.
//
// How large it gets, in bytes with names of 20: 70 for an unneeded node, 60 for a hint, of which
// there may be one for each pod, 120 for a request, 200 and the message for a back-off, 330 for a
// removal and 110 for each of its evictions, 30 and 40 a controller for nodes to come that are for
// the same pods and 50 for when that was first planned, 120 for the template of a group and 1500
// for a node that stands for it, 110 for each of at most 1000 groups. So 1000
// groups in trouble and 5000 unneeded nodes take 900 KiB of a ConfigMap's 1 MiB; the hints of a
// large cluster go past it, the nodes that stand for many groups, what many nodes to come are for,
// and the timers of more unneeded nodes, which upstream begins anew at each start: these may be
// done without.

/// What a ConfigMap can hold, less what its other keys take.
inline constexpr std::size_t config_map_bytes = std::size_t{1000} << 10;

/// On one line; parse_memory reads it back exactly, but for bytes that are no UTF-8. `host`: the
/// version that writes, for people. `written`: now; nothing: it is not said. Where the text would
/// be longer than `limit`, without the hints, then without what is known of templates, then of
/// groups that have nodes, then without what nodes to come are planned for, then without back-offs
/// of removals, then without when nodes were created, then without timers of unneeded nodes;
/// `invalid_argument`: that is too long still.
Result<std::string> memory_text(const engine::Memory& memory, std::string_view host,
                                std::size_t limit = std::numeric_limits<std::size_t>::max(),
                                const std::optional<engine::PassTime>& written = {});
/// Of such a text, what it says beside its writer and time.
std::string_view memory_part(std::string_view text);

/// `read`: now, and moments are read as of then (see read_back), with the time since the text was
/// written as time in which the cluster was not seen; nothing: they stay as they stand.
/// `invalid_argument`, one line for each thing that is wrong, with its place: "NAME: /memory/last:
/// expects an object, found text". `unsupported`: a later version than this host reads. Members
/// that are not known are passed over, so that an older host reads what a newer one added; a change
/// that may not be passed over gets a later version.
Result<engine::Memory> parse_memory(std::string_view text, std::string_view name,
                                    const std::optional<engine::PassTime>& read = {});

}  // namespace capstan::runtime::record
