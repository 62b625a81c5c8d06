#include "simulation/expect.hpp"

#include <algorithm>
#include <set>

namespace capstan::simulation {
namespace {

using Lines = std::vector<std::string>;

/// For each pair of beginnings cut off, how many lines the rests have in common, in order.
std::vector<std::vector<std::size_t>> common_of(const Lines& a, const Lines& b) {
    std::vector<std::vector<std::size_t>> length(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1
                                        : std::max(length[i + 1][j], length[i][j + 1]);
        }
    }
    return length;
}

/// Lines that are missing with '-', lines too many with '+', the others as they are.
std::string difference(const Lines& expected, const Lines& seen) {
    const auto common = common_of(expected, seen);
    std::string out;
    std::size_t i = 0, j = 0;
    while (i < expected.size() || j < seen.size()) {
        if (i < expected.size() && j < seen.size() && expected[i] == seen[j]) {
            out += "\n    " + expected[i++];
            ++j;
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
    if (expected && *expected != seen) unmet.push_back(what + difference(*expected, seen));
}

void expect_counts(const std::map<std::string, int>& expected,
                   const std::map<std::string, int>& seen, const std::string& what, Lines& unmet) {
    for (const auto& [group, count] : expected) {
        const auto at = seen.find(group);
        const int is = at == seen.end() ? 0 : at->second;
        if (is != count) {
            unmet.push_back(what + " of " + group + ": expected " + std::to_string(count) +
                            ", is " + std::to_string(is));
        }
    }
}

/// Everything that may truly be said of the pods without room.
Lines sayings(const std::vector<Unhelped>& unhelped) {
    Lines out;
    for (const Unhelped& u : unhelped) {
        out.push_back(u.batch + ": " + u.because);
        for (const auto& [group, sentence] : u.in_group)
            out.push_back(u.batch + " in " + group + ": " + sentence);
    }
    return out;
}

bool is_about(const std::string& line, const std::string& batch) {
    return line.starts_with(batch + ":") || line.starts_with(batch + " in ");
}

/// What was expected and is true, and of the rest all that could have been said, once.
void expect_unhelped(const std::optional<Lines>& expected, const std::vector<Unhelped>& unhelped,
                     Lines& unmet) {
    if (!expected) return;
    const Lines true_ones = sayings(unhelped);
    Lines missing, unnamed;
    for (const std::string& line : *expected) {
        if (std::ranges::count(true_ones, line) == 0) missing.push_back(line);
    }
    for (const Unhelped& u : unhelped) {
        const auto names = [&](const std::string& line) { return is_about(line, u.batch); };
        if (std::ranges::none_of(*expected, names) || std::ranges::any_of(missing, names)) {
            std::ranges::copy_if(true_ones, std::back_inserter(unnamed), names);
        }
    }
    if (!missing.empty() || !unnamed.empty())
        unmet.push_back("pods without room:" + difference(missing, unnamed));
}

}  // namespace

std::vector<std::string> find_unmet(const Expectations& expected, const Seen& seen) {
    Lines unmet;
    expect_lines(expected.commands, seen.commands,
                 "the clouds were asked for something else:", unmet);
    if (expected.pending && *expected.pending != seen.pending) {
        unmet.push_back("pods without a node: expected " + std::to_string(*expected.pending) +
                        ", are " + std::to_string(seen.pending));
    }
    expect_counts(expected.nodes, seen.nodes, "nodes", unmet);
    expect_counts(expected.targets, seen.targets, "target", unmet);
    expect_lines(expected.backed_off, seen.backed_off, "groups left alone after a failure:", unmet);
    expect_unhelped(expected.unhelped, seen.unhelped, unmet);
    return unmet;
}

std::int64_t count_of(const Expectations& expected) {
    return static_cast<std::int64_t>(expected.nodes.size() + expected.targets.size()) +
           (expected.commands ? 1 : 0) + (expected.pending ? 1 : 0) +
           (expected.backed_off ? 1 : 0) + (expected.unhelped ? 1 : 0);
}

}  // namespace capstan::simulation
