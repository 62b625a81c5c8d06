/// Memory as text with a format version, and its times on another process's clock.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "autoscaler/record/json_form.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::autoscaler::record {

/// Checks the member `version` of the document; see parse_versioned.
Result<void> check_version(kubernetes::JsonProblems& problems, std::string_view name, int version);
/// All problems as one error; success if there is none.
Result<void> check_problems(const kubernetes::JsonProblems& problems, std::string_view name);

/// Parses a document with a member `version`. `invalid_argument`: the text is not valid JSON, has
/// no version, or has problems, one line each with its place; `name` is the text's name for the
/// message. `unsupported`: the document has another version; the message has both versions and the
/// document's `host`, the program that wrote it.
template <NamedMembers T>
Result<T> parse_versioned(std::string_view text, std::string_view name, int version) {
    CAPSTAN_TRY(const boost::json::value document, parse_json(text, name));
    kubernetes::JsonProblems problems(document);
    CAPSTAN_CHECK(check_version(problems, name, version));
    T out = read_json<T>(problems.root());
    CAPSTAN_CHECK(check_problems(problems, name));
    return out;
}

/// Converts the times of a memory that another process wrote to the clock of this process.
///
/// All times of Memory are on the clock of the process that wrote it (PassTime::now), which differs
/// from this process's clock. Relative to the time of writing they are meaningful, and the wall
/// clocks give the time that has passed since the writing:
///
///     passed = read.wall - written.wall    0 if the wall clock was set back in between
///     a past time                          its age at the writing, plus `passed`
///     a future time (a deadline)           its distance at the writing, minus `passed`
///
///     written at 12:00 (wall 12:20), read at 15:00 (wall 12:21)
///     unneeded since 11:55, 5m     ->     unneeded since 14:54, 6m
///     backed off until 12:10       ->     until 15:09
///
/// So no age is negative, and repeated reading and writing loses nothing. A moment that cannot be
/// in the future (see Memory) becomes `read.now` if it would be.
/// Three values stay: Time(), which means not set, Time::max(), which means never, and Time::min(),
/// which is too long ago for a Time.
///
/// `written` is the time of the writing.
engine::Memory rebase_times(engine::Memory memory, const engine::PassTime& written,
                            const engine::PassTime& read);

// Memory as text. The host keeps it in a ConfigMap between two runs, a simulation in a file.
//
//     {"version":2,"host":"1.2.0","written":{"now":"2026-...","wall":"2026-..."},
//      "memory":{"started":true,"unneeded":{"node-7":{"since":"2026-..."}}}}
//
// Its times are on the clock of the process that wrote it; see rebase_times().
//
// Sizes in bytes, with names of 20 bytes: 70 for an unneeded node, 60 for a hint, of which there
// may be one per pod, 120 for a request, 200 plus the message for a back-off, 330 for a removal,
// 100 for a leaving node, 110 for each eviction from a node of either kind, 30 plus 40 for each
// controller for upcoming nodes with the same planned pods, 50 for the time of their first plan,
// 120 for the template of a group and 1500 for its sample node, 110 for each of at most 1000
// groups, 60 for each of at most 10,000 machines without a node. A message has 256 bytes at most
// (engine::BriefText). So 1000 groups with failures and 5000 unneeded nodes take 1 MiB.

/// The bytes that a text may have.
struct MemoryTextLimits {
    /// Of a text with hints, whose loss costs nothing.
    std::size_t with_hints = std::numeric_limits<std::size_t>::max();
    std::size_t all = std::numeric_limits<std::size_t>::max();
};
/// The memory as one line, which parse_memory reads back exactly, except for bytes that are no
/// UTF-8. `host` is the writing version, for people. `written` is the present time; absent: the
/// text does not have it. If the text would be too long, parts are left out in this order until it
/// fits, by the cost of their loss:
///   - hints, messages of clouds and of the API server, templates, known groups, planned pods of
///     upcoming nodes, back-offs of removals, creation times of nodes;
///   - timers of unneeded nodes, which upstream restarts at each start anyway;
///   - launch times of machines, answers to evictions, failed machines, times of machines without a
///     node;
///   - back-offs of groups, offerings and clouds, and counts of failed calls.
/// Requests, answered targets, upcoming groups and removals stay. `invalid_argument`: the text is
/// too long even then.
Result<std::string> memory_text(const engine::Memory& memory, std::string_view host,
                                const MemoryTextLimits& limits = {},
                                const std::optional<engine::PassTime>& written = {});
/// The part of such a text without its writer and time.
std::string_view memory_part(std::string_view text);

/// `read` is the present time, to which the times are converted (see rebase_times); the cluster
/// counts as unobserved since the writing, and nodes that removals have tainted as seen with the
/// taint. Absent: the memory stays as it is in the text.
/// `invalid_argument`: one line per problem, with its place: "NAME: /memory/last: expects an
/// object, found text"; also if `read` is given and the text does not have the time of its writing.
/// `unsupported`: the version is not this host's. Unknown members are ignored, so that an older
/// host can read a newer host's text; a change that must not be ignored gets a later version.
Result<engine::Memory> parse_memory(std::string_view text, std::string_view name,
                                    const std::optional<engine::PassTime>& read = {});

}  // namespace capstan::autoscaler::record
