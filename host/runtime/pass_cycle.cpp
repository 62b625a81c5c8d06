#include "runtime/pass_cycle.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <capstan/sentence.hpp>

#include "runtime/instances/cloud_client.hpp"

namespace capstan::runtime {
namespace {

using Groups = std::vector<engine::Group>;

/// Asks clouds for what belongs to their groups, and collects why something was not answered.
class Inquiry {
public:
    Inquiry(const PassInput& input, PassWatch& watch) : input_(input), watch_(watch) {}

    void fill(engine::Group& group) {
        const auto cloud = std::ranges::find(input_.clouds, group.cloud.value(),
                                             [](const auto& instance) { return instance->id(); });
        if (cloud == input_.clouds.end()) return;
        if (auto options = ask_options(*cloud, group.group, input_.circumstances, watch_)) {
            group.options = *std::move(options);
        } else {
            note(group, options.error());
        }
        if (group.described == nullptr) return;
        if (const auto price = ask_price(*cloud, *group.described, input_.circumstances, watch_)) {
            group.price_per_hour = price->per_hour;
        } else {
            note(group, price.error());
        }
    }
    /// One of each sentence, with the groups it is true of.
    std::vector<std::string> notes() const {
        std::vector<std::string> out;
        for (const auto& [sentence, groups] : groups_by_sentence_)
            out.push_back(sentence + " (group " +
                          listed(groups, [](const std::string& id) { return id; }) + ")");
        return out;
    }

private:
    void note(const engine::Group& group, const Error& error) {
        const bool is_an_answer =
            error.code == ErrorCode::unsupported || error.code == ErrorCode::not_found;
        if (!is_an_answer) groups_by_sentence_[error.message].push_back(group.group.id.value());
    }
    const PassInput& input_;
    PassWatch& watch_;
    std::map<std::string, std::vector<std::string>> groups_by_sentence_;
};

/// Without those that this pass does not ask, which need not be fit to be asked.
Wiring needed(Wiring wiring, const engine::Settings& settings) {
    if (settings.balance_similar) return wiring;
    wiring.similarity.clear();
    wiring.splitter = nullptr;
    return wiring;
}

/// On the thread of the pass.
Result<PassResult> run(const PassInput& input, PassWatch& watch) {
    CAPSTAN_TRY(const PassPolicies policies,
                PassPolicies::make(needed(input.wiring, input.settings), watch));
    Groups groups = input.snapshot.groups ? *input.snapshot.groups : Groups();
    Inquiry inquiry(input, watch);
    for (engine::Group& group : groups) inquiry.fill(group);
    PassResult out;
    out.groups = std::make_shared<const Groups>(std::move(groups));
    const engine::Snapshot snapshot{input.snapshot.cluster, out.groups};
    out.outcome = engine::run_pass(snapshot, input.memory, policies.policies(), input.settings,
                                   input.circumstances);
    std::ranges::move(inquiry.notes(), std::back_inserter(out.outcome.decision.notes));
    return out;
}

}  // namespace

Result<PassResult> decide(PassInput input) {
    // Shared, because a thread that was abandoned may look at it later.
    const auto shared = std::make_shared<const PassInput>(std::move(input));
    WatchedResult<Result<PassResult>> watched = run_watched<Result<PassResult>>(
        [shared](PassWatch& watch) { return run(*shared, watch); }, shared->known_misses);
    CAPSTAN_TRY(PassResult out, std::move(watched.result));
    out.misses = std::move(watched.misses);
    out.reruns = watched.reruns;
    return out;
}

}  // namespace capstan::runtime
