#include "simulator/expect.hpp"

#include <algorithm>
#include <set>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "simulator/commands.hpp"

namespace capstan::simulator {
namespace {

using Lines = std::vector<std::string>;

/// Lengths of longest common subsequences: `[i][j]` is that of the lines of `a` from `i` on and the
/// lines of `b` from `j` on.
std::vector<std::vector<std::size_t>> common_of(const Lines& a, const Lines& b) {
    std::vector<std::vector<std::size_t>> length(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            length[i][j] = matches_pattern(b[j], a[i])
                               ? length[i + 1][j + 1] + 1
                               : std::max(length[i + 1][j], length[i][j + 1]);
        }
    }
    return length;
}

/// A diff: missing lines with '-', unexpected lines with '+', common lines without a mark.
std::string difference(const Lines& expected, const Lines& seen) {
    const auto common = common_of(expected, seen);
    std::string out;
    std::size_t i = 0, j = 0;
    while (i < expected.size() || j < seen.size()) {
        if (i < expected.size() && j < seen.size() && matches_pattern(seen[j], expected[i])) {
            out += "\n    " + seen[j++];
            ++i;
        } else if (j == seen.size() ||
                   (i < expected.size() && common[i + 1][j] >= common[i][j + 1])) {
            out += "\n  - " + expected[i++];
        } else {
            out += "\n  + " + seen[j++];
        }
    }
    return out;
}

void expect_lines(const std::optional<Lines>& expected, const Lines& seen, const std::string& what,
                  Lines& unmet) {
    const auto matches = [](const std::string& wanted, const std::string& text) {
        return matches_pattern(text, wanted);
    };
    if (expected && !std::ranges::equal(*expected, seen, matches))
        unmet.push_back(what + difference(*expected, seen));
}

void expect_counts(const std::map<std::string, int>& expected,
                   const std::map<std::string, int>& seen, const std::string& what, Lines& unmet) {
    for (const auto& [group, count] : expected) {
        const auto at = seen.find(group);
        const int is = at == seen.end() ? 0 : at->second;
        if (is != count) {
            unmet.push_back(what + " of " + group + ": expected " + std::to_string(count) +
                            ", found " + std::to_string(is));
        }
    }
}

/// The texts of the commands whose first words are in `only`, in order; all where it is empty.
Lines texts_of(const std::vector<SeenCommand>& commands, const Lines& only) {
    Lines out;
    for (const SeenCommand& seen : commands) {
        const bool counts = only.empty() || std::ranges::any_of(only, [&](const std::string& kind) {
                                return begins_with_words(seen.text, kind);
                            });
        if (counts) out.push_back(seen.text);
    }
    return out;
}

void expect_within(const std::vector<ExpectedCommand>& expected,
                   const std::vector<SeenCommand>& commands, Lines& unmet) {
    for (const ExpectedCommand& wanted : expected) {
        std::string when;
        bool is_met = false;
        for (const SeenCommand& seen : commands) {
            if (!begins_with_words(seen.text, wanted.command)) continue;
            is_met =
                is_met || (seen.at >= wanted.from && (!wanted.until || seen.at <= *wanted.until));
            when += (when.empty() ? "" : ", ") + format_duration(seen.at);
        }
        if (is_met) continue;
        unmet.push_back(in_quotes(wanted.command) + ": expected from " +
                        format_duration(wanted.from) + " to " +
                        (wanted.until ? format_duration(*wanted.until) : "the end of the step") +
                        (when.empty() ? ", not given" : ", given at " + when));
    }
}

void expect_never(const Lines& never, const std::vector<SeenCommand>& commands, Lines& unmet) {
    for (const std::string& unwanted : never) {
        for (const SeenCommand& seen : commands) {
            if (!begins_with_words(seen.text, unwanted)) continue;
            unmet.push_back("expected never " + in_quotes(unwanted) + ": " + in_quotes(seen.text) +
                            " was given at " + format_duration(seen.at));
            break;
        }
    }
}

void expect_taints(const ExpectedTaints& wanted, const Seen& seen, Lines& unmet) {
    const auto node = seen.taints.find(wanted.node);
    const Lines keys = node == seen.taints.end() ? Lines{} : node->second;
    for (const std::string& key : wanted.has) {
        if (std::ranges::count(keys, key) == 0)
            unmet.push_back("node " + wanted.node + " does not have the taint " + key);
    }
    for (const std::string& key : wanted.lacks) {
        if (std::ranges::count(keys, key) > 0)
            unmet.push_back("node " + wanted.node + " has the taint " + key);
    }
}

void expect_nodes(const Expectations& expected, const Seen& seen, Lines& unmet) {
    for (const std::string& node : expected.present) {
        if (!seen.taints.contains(node)) unmet.push_back("node " + node + " does not exist");
    }
    for (const std::string& node : expected.absent) {
        if (seen.taints.contains(node)) unmet.push_back("node " + node + " exists");
    }
    for (const ExpectedTaints& wanted : expected.taints) expect_taints(wanted, seen, unmet);
}

void expect_no_backoff(const Lines& expected, const Lines& backed_off, Lines& unmet) {
    for (const std::string& group : expected) {
        if (std::ranges::count(backed_off, group) > 0)
            unmet.push_back("group " + group + " is backed off after a failure");
    }
}

/// All lines that `expect_unhelped` may contain for these pods.
Lines reason_lines(const std::vector<UnschedulablePods>& unschedulable) {
    Lines out;
    for (const UnschedulablePods& u : unschedulable) {
        out.push_back(u.batch + ": " + u.reason.sentence);
        for (const auto& [group, sentence] : u.in_group)
            out.push_back(u.batch + " in " + group + ": " + sentence);
    }
    return out;
}

bool is_about(const std::string& line, const std::string& batch) {
    return line.starts_with(batch + ":") || line.starts_with(batch + " in ");
}

/// Each expected line has to be among the reasons, and each batch needs an expected line. The
/// message lists the expected lines that are wrong, and the true lines of the batches concerned.
void expect_unhelped(const std::optional<Lines>& expected,
                     const std::vector<UnschedulablePods>& unschedulable, Lines& unmet) {
    if (!expected) return;
    const Lines true_lines = reason_lines(unschedulable);
    Lines missing, unnamed;
    for (const std::string& line : *expected) {
        if (std::ranges::count(true_lines, line) == 0) missing.push_back(line);
    }
    for (const UnschedulablePods& u : unschedulable) {
        const auto names = [&](const std::string& line) { return is_about(line, u.batch); };
        if (std::ranges::none_of(*expected, names) || std::ranges::any_of(missing, names)) {
            std::ranges::copy_if(true_lines, std::back_inserter(unnamed), names);
        }
    }
    if (!missing.empty() || !unnamed.empty())
        unmet.push_back("unschedulable pods (- expected, + found):" + difference(missing, unnamed));
}

}  // namespace

std::vector<std::string> find_unmet(const Expectations& expected, const Seen& seen) {
    Lines unmet;
    expect_lines(expected.commands, texts_of(seen.commands, expected.only),
                 "commands differ (- expected, + given):", unmet);
    expect_within(expected.within, seen.commands, unmet);
    expect_never(expected.never, seen.commands, unmet);
    if (expected.pending && *expected.pending != seen.pending) {
        unmet.push_back("pending pods: expected " + std::to_string(*expected.pending) + ", found " +
                        std::to_string(seen.pending));
    }
    if (expected.longest_pending && seen.longest_pending >= *expected.longest_pending) {
        unmet.push_back("longest pending time: expected less than " +
                        format_duration(*expected.longest_pending) + ", found " +
                        format_duration(seen.longest_pending));
    }
    expect_counts(expected.nodes, seen.nodes, "nodes", unmet);
    expect_counts(expected.targets, seen.targets, "target", unmet);
    expect_nodes(expected, seen, unmet);
    expect_lines(expected.backed_off, seen.backed_off,
                 "groups backed off after a failure (- expected, + found):", unmet);
    expect_no_backoff(expected.not_backed_off, seen.backed_off, unmet);
    expect_unhelped(expected.unschedulable, seen.unschedulable, unmet);
    return unmet;
}

std::int64_t count_of(const Expectations& expected) {
    std::size_t out = expected.nodes.size() + expected.targets.size() + expected.within.size() +
                      expected.never.size() + expected.present.size() + expected.absent.size() +
                      expected.not_backed_off.size();
    for (const ExpectedTaints& taints : expected.taints)
        out += taints.has.size() + taints.lacks.size();
    return static_cast<std::int64_t>(out) + (expected.commands ? 1 : 0) +
           (expected.pending ? 1 : 0) + (expected.longest_pending ? 1 : 0) +
           (expected.backed_off ? 1 : 0) + (expected.unschedulable ? 1 : 0);
}

}  // namespace capstan::simulator
