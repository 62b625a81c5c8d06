#include "autoscaler/pass_cycle.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <capstan/sentence.hpp>

#include "autoscaler/pass_clock.hpp"
#include "autoscaler/policies/pass_call.hpp"
#include "engine/pass/pass.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"

namespace capstan::autoscaler {
namespace {

using Groups = std::vector<engine::Group>;

/// The properties of a group that its cloud is asked for in each pass.
struct Terms {
    GroupOptions options{};
    std::optional<double> price_per_hour{};
    bool operator==(const Terms&) const = default;
};

/// Asks clouds for options and prices of their groups, and collects the errors.
class CloudQueries {
public:
    CloudQueries(const PassInput& input, plugin_runtime::instances::PassWatch& watch,
                 PassCurrency& currency)
        : input_(input), watch_(watch), currency_(currency) {}

    /// Options or a price that the cloud does not answer are as the group has them.
    Terms terms_of(const engine::Group& group) {
        Terms out{group.options, group.price_per_hour};
        const auto cloud = std::ranges::find(input_.clouds, group.cloud.value(),
                                             [](const auto& instance) { return instance->id(); });
        if (cloud == input_.clouds.end()) return out;
        if (group.group.options) {
            out.options = *group.group.options;
        } else if (auto options = plugin_runtime::instances::ask_options(
                       *cloud, group.group, policies::call_of(input_.call_context), watch_)) {
            out.options = *std::move(options);
        } else {
            note(group, options.error());
        }
        if (group.group.price) {
            take_price(group, *group.group.price, out);
        } else if (group.described != nullptr) {
            ask_for_price(*cloud, group, out);
        }
        return out;
    }
    /// Each error once, with the groups that it is about.
    std::vector<std::string> notes() const {
        std::vector<std::string> out;
        for (const auto& [sentence, groups] : groups_by_sentence_)
            out.push_back(sentence + " (group " +
                          listed(groups, [](const std::string& id) { return id; }) + ")");
        return out;
    }

private:
    void ask_for_price(const std::shared_ptr<plugin_runtime::instances::PluginInstance>& cloud,
                       const engine::Group& group, Terms& out) {
        const auto price = plugin_runtime::instances::ask_price(
            cloud, group.group, *group.described, policies::call_of(input_.call_context), watch_);
        if (!price) return note(group, price.error());
        take_price(group, *price, out);
    }
    void take_price(const engine::Group& group, const Price& price, Terms& out) {
        if (!price.per_hour || currency_.takes(price.currency)) {
            out.price_per_hour = price.per_hour;
        } else {
            out.price_per_hour.reset();
            note(group, {ErrorCode::invalid_config, "plugin " + group.cloud.value() + ": " +
                                                        currency_.refusal(price.currency)});
        }
    }
    void note(const engine::Group& group, const Error& error) {
        const bool is_an_answer =
            error.code == ErrorCode::unsupported || error.code == ErrorCode::not_found;
        if (!is_an_answer) groups_by_sentence_[error.message].insert(group.group.id.value());
    }
    const PassInput& input_;
    plugin_runtime::instances::PassWatch& watch_;
    PassCurrency& currency_;
    std::map<std::string, std::set<std::string>> groups_by_sentence_;
};

using SharedGroups = std::shared_ptr<const Groups>;

SharedGroups filled_groups(const PassInput& input, CloudQueries& cloud_queries) {
    const SharedGroups& listed = input.snapshot.groups;
    if (!listed) return std::make_shared<const Groups>();
    std::vector<Terms> terms;
    for (const engine::Group& group : *listed) terms.push_back(cloud_queries.terms_of(group));
    const bool is_known =
        input.earlier.filled && input.earlier.listed == listed &&
        std::ranges::equal(*input.earlier.filled, terms, {}, [](const engine::Group& group) {
            return Terms{group.options, group.price_per_hour};
        });
    if (is_known) return input.earlier.filled;
    Groups groups = *listed;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        groups[g].options = terms[g].options;
        groups[g].price_per_hour = terms[g].price_per_hour;
    }
    return std::make_shared<const Groups>(std::move(groups));
}

/// The wiring without the instances that this pass does not call.
Wiring called_instances(Wiring wiring, const engine::Settings& settings) {
    if (settings.balance_similar) return wiring;
    wiring.similarity.clear();
    wiring.splitter = nullptr;
    wiring.absent.similarity.clear();
    wiring.absent.splitter.reset();
    return wiring;
}

/// A pass about to be run, on its thread.
struct Preparation {
    PassPolicies policies;
    PassCurrency currency;
    engine::Snapshot snapshot;       ///< prices and options filled in
    std::vector<std::string> notes;  ///< why some are not
};

Result<Preparation> prepare(const PassInput& input, plugin_runtime::instances::PassWatch& watch,
                            std::shared_ptr<policies::ExpanderAnswers> answers) {
    CAPSTAN_TRY(PassPolicies policies,
                PassPolicies::make(called_instances(input.wiring, input.settings), watch,
                                   std::move(answers)));
    PassCurrency currency(input.snapshot);
    CloudQueries cloud_queries(input, watch, currency);
    SharedGroups groups = filled_groups(input, cloud_queries);
    std::vector<std::string> notes = cloud_queries.notes();
    auto machines = currency.filter(input.snapshot.machines, notes);
    return Preparation{std::move(policies),
                       std::move(currency),
                       {.cluster = input.snapshot.cluster,
                        .groups = std::move(groups),
                        .machines = std::move(machines),
                        .unread = input.snapshot.unread,
                        .cloud_views = input.snapshot.cloud_views},
                       std::move(notes)};
}

Result<PassResult> run(const PassInput& input, plugin_runtime::instances::PassWatch& watch,
                       const std::shared_ptr<policies::ExpanderAnswers>& answers) {
    CAPSTAN_TRY(Preparation pass, prepare(input, watch, answers));
    PassResult out;
    out.groups = pass.snapshot.groups;
    PassPhaseTimer clock;
    engine::Policies policies = pass.policies.policies();
    policies.phase_observer = &clock;
    RealTimeLimit time_limit(input.settings.max_binpacking_time);
    // A replay has no host. A simulation does not depend on the speed of the machine.
    const bool is_live = input.host != nullptr && input.host->virtual_loop() == nullptr;
    if (is_live) policies.time_limit = &time_limit;
    CloudGroupMaker maker(input.clouds, input.candidate_groups, watch, pass.currency);
    policies.maker = &maker;
    engine::pass::CompletedPass decided = engine::pass::run_pass(
        pass.snapshot, input.memory, policies, input.settings, input.call_context);
    const engine::pass_context::PassContext& context = *decided.details.context;
    if (context.snapshot->groups == pass.snapshot.groups)
        out.membership = std::make_shared<const engine::templates::Membership>(context.membership);
    out.outcome = std::move(static_cast<engine::pass::Outcome&>(decided));
    out.part_times = clock.times();
    out.candidate_groups = maker.take_candidate_groups();
    out.expander_answers = answers->known();
    out.notes = input.notes;
    // A replay has found some of them in its record.
    std::ranges::copy_if(pass.notes, std::back_inserter(out.notes), [&](const std::string& note) {
        return std::ranges::find(input.notes, note) == input.notes.end();
    });
    std::ranges::copy(out.notes, std::back_inserter(out.outcome.decision.notes));
    return out;
}

Result<PassAnswer> ask(const PassInput& input, const PassQuestion& question,
                       plugin_runtime::instances::PassWatch& watch) {
    const auto answers = std::make_shared<policies::ExpanderAnswers>(input.expander_answers);
    CAPSTAN_TRY(Preparation pass, prepare(input, watch, answers));
    engine::Policies policies = pass.policies.policies();
    CloudGroupMaker maker(input.clouds, input.candidate_groups, watch, pass.currency);
    policies.maker = &maker;
    std::vector<engine::PodGroupId> asked;
    if (question.equivalence_group) asked.push_back(*question.equivalence_group);
    engine::pass::Explanation explanation = engine::pass::explain_pass(
        pass.snapshot, input.memory, policies, input.settings, input.call_context, asked);
    PassAnswer out;
    out.new_groups = explanation.decision().new_groups;
    out.unhealthy_because = explanation.unhealthy_because();
    if (question.equivalence_group) {
        CAPSTAN_TRY(out.pod, explanation.pod(*question.equivalence_group, question.pod));
    } else if (question.group) {
        CAPSTAN_TRY(out.group, explanation.group(*question.group));
    } else if (question.node) {
        CAPSTAN_TRY(out.node, explanation.node(*question.node));
        out.machine = explanation.machine_of(*question.node);
        out.node_remedy = explanation.remedy_of(*out.node);
        out.node_state = explanation.state_of(*question.node);
    } else {
        out.matrix = explanation.matrix();
    }
    return out;
}

}  // namespace

Result<PassResult> decide(PassInput input) {
    plugin_runtime::instances::PassThread thread;
    return decide(std::move(input), thread);
}

Result<PassResult> decide(PassInput input, plugin_runtime::instances::PassThread& thread) {
    // Shared, because a thread that was abandoned may look at it later.
    const auto shared = std::make_shared<const PassInput>(std::move(input));
    // Shared by all runs of the pass: a run that is repeated because a hook was late uses them
    // again.
    const auto answers = std::make_shared<policies::ExpanderAnswers>(
        shared->expander_answers,
        shared->host != nullptr ? asking(*shared->host) : policies::ExpanderAnswers::Ask());
    plugin_runtime::instances::WatchedResult<Result<PassResult>> watched =
        plugin_runtime::instances::run_watched<Result<PassResult>>(
            thread,
            [shared, answers](plugin_runtime::instances::PassWatch& watch) {
                return run(*shared, watch, answers);
            },
            shared->skipped_hooks);
    CAPSTAN_TRY(PassResult out, std::move(watched.result));
    out.skipped_hooks = std::move(watched.skipped_hooks);
    out.reruns = watched.reruns;
    return out;
}

Result<PassAnswer> explain(PassInput input, PassQuestion question) {
    const auto shared = std::make_shared<const PassInput>(std::move(input));
    plugin_runtime::instances::WatchedResult<Result<PassAnswer>> watched =
        plugin_runtime::instances::run_watched<Result<PassAnswer>>(
            [shared, question = std::move(question)](plugin_runtime::instances::PassWatch& watch) {
                return ask(*shared, question, watch);
            },
            shared->skipped_hooks);
    return std::move(watched.result);
}

}  // namespace capstan::autoscaler
