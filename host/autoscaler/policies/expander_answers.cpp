#include "autoscaler/policies/expander_answers.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

#include "autoscaler/policies/pass_call.hpp"
#include "autoscaler/policies/plugin_policies.hpp"
#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::autoscaler::policies {
namespace {

plugin_runtime::instances::ExpanderClient::Question question_among(
    const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among,
    const engine::CallContext& call_context) {
    const plugin_runtime::instances::PassCall pass_call = call_of(call_context);
    plugin_runtime::instances::ExpanderClient::Question out{
        .flags = pass_call.flags,
        .seed = pass_call.seed,
        .now = pass_call.now,
        .options = {},
        .pods = question.pods,
        .cluster_nodes = question.cluster_nodes};
    out.options.reserve(among.size());
    for (const std::uint32_t i : among) out.options.push_back(question.options[i]);
    return out;
}

class ServiceExpander final : public engine::Expander {
public:
    ServiceExpander(std::shared_ptr<plugin_runtime::instances::ExpanderClient> client,
                    plugin_runtime::instances::PassWatch& watch,
                    std::shared_ptr<ExpanderAnswers> answers)
        : client_(std::move(client)), watch_(&watch), answers_(std::move(answers)) {}

    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const engine::CallContext& call_context) override {
        const plugin_runtime::instances::PluginInstance& instance = *client_->instance();
        if (watch_->is_absent(instance))
            return fail(plugin_runtime::instances::not_started(instance.context().identity().id));
        const ExpanderAnswer& answer =
            answers_->answer(client_, question, among, call_context, *watch_);
        if (answer.error) return fail(*answer.error);
        engine::FilterResult out{.kept = {}, .sentences = answer.sentences};
        for (const std::uint32_t i : among) {
            if (std::ranges::binary_search(answer.kept, question.options[i].group.id))
                out.kept.push_back({.option = i});
        }
        return out;
    }

private:
    const std::shared_ptr<plugin_runtime::instances::ExpanderClient> client_;
    plugin_runtime::instances::PassWatch* const watch_;
    const std::shared_ptr<ExpanderAnswers> answers_;
};

}  // namespace

const ExpanderAnswer* ExpanderAnswers::find(const ExpanderAnswer& asked) const {
    const auto at = std::ranges::find_if(known_, [&](const ExpanderAnswer& known) {
        return known.instance == asked.instance && known.seed == asked.seed &&
               known.groups == asked.groups;
    });
    return at == known_.end() ? nullptr : &*at;
}

std::optional<Error> ExpanderAnswers::find_outage(const PluginInstanceId& instance) const {
    for (const ExpanderAnswer& known : known_) {
        const bool is_out = known.instance == instance && known.error &&
                            known.error->code != ErrorCode::invalid_argument &&
                            known.error->code != ErrorCode::internal;
        if (is_out) return known.error;
    }
    return std::nullopt;
}

void ExpanderAnswers::ask(
    const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
    const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among,
    const engine::CallContext& call_context, plugin_runtime::instances::PassWatch& watch,
    ExpanderAnswer& answer) {
    if (!ask_) {
        answer.error = Error{ErrorCode::unsupported,
                             plugin_runtime::instances::hook_name(
                                 *expander->instance(), plugin_runtime::loop::Hook::filter) +
                                 ": its service is not called here, and no response is recorded"};
        return;
    }
    const plugin_runtime::instances::PluginInstance& instance = *expander->instance();
    Duration& waited = waited_[answer.instance];
    if (waited >= 2 * expander->deadline()) {
        answer.error = Error{
            ErrorCode::deadline,
            plugin_runtime::instances::hook_name(instance, plugin_runtime::loop::Hook::filter) +
                ": its service has taken " + format_rough_duration(waited) +
                " of this pass; not called again in this pass"};
        return;
    }
    const io::Clock& clock = instance.context().clock();
    const Duration began = clock.monotonic();
    std::optional<Result<KeptOptions>> result;
    // An exception must not end the watching thread: the pass waits for `work`.
    watch.run_outside([&] {
        try {
            result = ask_(expander, question_among(question, among, call_context));
        } catch (const std::exception& e) {
            result = fail(ErrorCode::internal, e.what());
        }
    });
    waited += clock.monotonic() - began;
    CAPSTAN_ASSERT(result, "run_outside() has returned before its work ended");
    if (!*result) {
        answer.error = result->error();
        return;
    }
    answer.sentences = std::move((*result)->sentences);
    for (const KeptOptions::Kept& kept : (*result)->kept)
        answer.kept.push_back(question.options[among[kept.option]].group.id);
    std::ranges::sort(answer.kept);
}

const ExpanderAnswer& ExpanderAnswers::answer(
    const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
    const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among,
    const engine::CallContext& call_context, plugin_runtime::instances::PassWatch& watch) {
    ExpanderAnswer asked{.instance = expander->instance()->context().identity().id,
                         .seed = call_context.seed};
    for (const std::uint32_t i : among) asked.groups.push_back(question.options[i].group.id);
    if (const ExpanderAnswer* const known = find(asked)) return *known;
    asked.error = find_outage(asked.instance);
    if (!asked.error) ask(expander, question, among, call_context, watch, asked);
    return known_.emplace_back(std::move(asked));
}

Result<std::unique_ptr<engine::Expander>> make_expander(
    const std::shared_ptr<plugin_runtime::instances::PluginInstance>& instance,
    plugin_runtime::instances::PassWatch& watch, std::shared_ptr<ExpanderAnswers> answers) {
    CAPSTAN_TRY(std::shared_ptr<plugin_runtime::instances::ExpanderClient> client,
                plugin_runtime::instances::ExpanderClient::of(instance));
    if (client == nullptr) return PluginExpander::make(instance, watch);
    watch.admit(instance);
    return std::make_unique<ServiceExpander>(std::move(client), watch, std::move(answers));
}

}  // namespace capstan::autoscaler::policies
