#include "rare_reasons.hpp"

#include <memory>
#include <string>

#include "../engine/pass_case.hpp"

namespace capstan::golden {
namespace {

using namespace engine;

/// Gives no node to any group.
class NoSplit : public EvenSplitter {
    Result<std::vector<int>> split(int, std::span<const NodeGroup> groups,
                                   const CallContext&) override {
        return std::vector<int>(groups.size(), 0);
    }
};

void add_reasons(std::vector<Reason>& out, PassCase& c, const Policies& policies) {
    const pass::Outcome outcome =
        pass::run_pass(c.test_cluster.snapshot(), c.memory, policies, c.settings, c.call_context);
    for (const UnschedulablePods& pods : outcome.decision.unschedulable)
        for (const GroupReason& of_groups : pods.groups) out.push_back(of_groups.reason);
    out.push_back(outcome.decision.unschedulable.back().reason);
}

/// Groups that cannot help: target size or machine unknown, atomic without a maximum, being
/// created, or being repaired.
void add_groups_that_cannot_help(std::vector<Reason>& out) {
    PassCase c;
    c.group("target unknown", 0, 5).group.target.reset();
    c.test_cluster.group("not described", 0);
    c.group("atomic without maximum", 0, {}).options.zero_or_max = true;
    c.test_cluster.group("upcoming", 1).plan = std::make_shared<GroupPlan>();
    c.test_cluster.group("too small", 2);
    c.test_cluster.node("only", "too small").allocatable = {};
    c.memory.wrong_sizes[NodeGroupId("too small")] = {
        .current = 1, .expected = 2, .since = noon - 1h};
    c.pods("web", 1, 3000);
    add_reasons(out, c, c.policies());
}

/// The splitter gives no node to any group of the chosen option.
void add_option_that_comes_to_nothing(std::vector<Reason>& out) {
    PassCase c;
    c.group("chosen", 0, 5);
    c.group("similar", 0, 1);
    c.pods("web", 4, 3000);
    c.expander = PreferenceExpander({"chosen"});
    NoSplit none;
    Policies policies = c.policies();
    policies.splitter = &none;
    add_reasons(out, c, policies);
}

/// More kinds of pods than a decision explains.
void add_crowd(std::vector<Reason>& out) {
    PassCase c;
    for (int n = 0; n <= 1000; ++n) c.pods("web" + std::to_string(n), 1, 1000 + n);
    add_reasons(out, c, c.policies());
}

}  // namespace

std::vector<Reason> rare_reasons() {
    std::vector<Reason> out;
    add_groups_that_cannot_help(out);
    add_option_that_comes_to_nothing(out);
    add_crowd(out);
    return out;
}

}  // namespace capstan::golden
