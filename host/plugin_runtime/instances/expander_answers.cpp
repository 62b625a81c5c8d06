#include "plugin_runtime/instances/expander_answers.hpp"

#include <algorithm>
#include <any>
#include <chrono>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

#include "io/printable.hpp"
#include "plugin_runtime/instances/abi_options.hpp"
#include "plugin_runtime/instances/absent_policies.hpp"
#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/instances/operation_call.hpp"
#include "plugin_runtime/instances/plugin_policies.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

ExpanderClient::Question question_among(const engine::ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const engine::CallContext& call_context) {
    ExpanderClient::Question out{
        .flags = call_flags(call_context),
        .seed = call_context.seed,
        .now = call_context.now,
        .asked = {.options = {}, .pods = question.pods, .cluster_nodes = question.cluster_nodes}};
    out.asked.options.reserve(among.size());
    for (const std::uint32_t i : among) out.asked.options.push_back(question.options[i]);
    return out;
}

class ServiceExpander final : public engine::Expander {
public:
    ServiceExpander(std::shared_ptr<ExpanderClient> client, PassWatch& watch,
                    std::shared_ptr<ExpanderAnswers> answers)
        : client_(std::move(client)), watch_(&watch), answers_(std::move(answers)) {}

    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const engine::CallContext& call_context) override {
        const PluginInstance& instance = *client_->instance();
        if (watch_->is_absent(instance)) return fail(not_started(instance.context().identity().id));
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
    const std::shared_ptr<ExpanderClient> client_;
    PassWatch* const watch_;
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

void ExpanderAnswers::ask(const std::shared_ptr<ExpanderClient>& expander,
                          const engine::ScaleUpQuestion& question,
                          std::span<const std::uint32_t> among,
                          const engine::CallContext& call_context, PassWatch& watch,
                          ExpanderAnswer& answer) {
    if (!ask_) {
        answer.error = Error{ErrorCode::unsupported,
                             hook_name(*expander->instance(), loop::Hook::filter) +
                                 ": its service is not called here, and no response is recorded"};
        return;
    }
    const PluginInstance& instance = *expander->instance();
    Duration& waited = waited_[answer.instance];
    if (waited >= 2 * expander->deadline()) {
        answer.error = Error{ErrorCode::deadline,
                             hook_name(instance, loop::Hook::filter) + ": its service has taken " +
                                 format_rough_duration(waited) +
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

const ExpanderAnswer& ExpanderAnswers::answer(const std::shared_ptr<ExpanderClient>& expander,
                                              const engine::ScaleUpQuestion& question,
                                              std::span<const std::uint32_t> among,
                                              const engine::CallContext& call_context,
                                              PassWatch& watch) {
    ExpanderAnswer asked{.instance = expander->instance()->context().identity().id,
                         .seed = call_context.seed};
    for (const std::uint32_t i : among) asked.groups.push_back(question.options[i].group.id);
    if (const ExpanderAnswer* const known = find(asked)) return *known;
    asked.error = find_outage(asked.instance);
    if (!asked.error) ask(expander, question, among, call_context, watch, asked);
    return known_.emplace_back(std::move(asked));
}

Result<std::unique_ptr<engine::Expander>> make_expander(
    const std::shared_ptr<PluginInstance>& instance, PassWatch& watch,
    std::shared_ptr<ExpanderAnswers> answers) {
    CAPSTAN_TRY(std::shared_ptr<ExpanderClient> client, ExpanderClient::of(instance));
    if (client == nullptr) return PluginExpander::make(instance, watch);
    watch.admit(instance);
    return std::make_unique<ServiceExpander>(std::move(client), watch, std::move(answers));
}

namespace {

/// As in upstream's grpc expander.
constexpr Duration service_deadline = std::chrono::seconds(5);

std::vector<std::uint32_t> all_of(const engine::ScaleUpQuestion& question) {
    std::vector<std::uint32_t> out(question.options.size());
    std::iota(out.begin(), out.end(), 0u);
    return out;
}

Result<std::any> kept_from_abi(const void* raw, std::uint32_t options) {
    CAPSTAN_TRY(KeptOptions out,
                kept_options_from_abi(*static_cast<const capstan_selection*>(raw), options));
    std::ranges::stable_sort(out.kept, {}, &KeptOptions::Kept::option);
    const auto again = std::ranges::unique(out.kept, {}, &KeptOptions::Kept::option);
    out.kept.erase(again.begin(), again.end());
    if (out.sentences.size() > sentences_max) out.sentences.resize(sentences_max);
    for (std::string& sentence : out.sentences)
        sentence = io::printable(sentence, sentence_bytes_max);
    return std::any(std::move(out));
}

}  // namespace

/// One question. It lives until its operation has ended.
struct ExpanderClient::Call {
    Call(Question of, Done when_done)
        : question(std::move(of)),
          crossing(question.asked, all_of(question.asked)),
          request{sizeof request, question.flags, question.seed, unix_ns(question.now),
                  &crossing.in},
          done(std::move(when_done)) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const Question question;
    const AbiOptions crossing;
    const capstan_async_expander_request request;
    const Done done;
};

Result<std::shared_ptr<ExpanderClient>> ExpanderClient::of(
    const std::shared_ptr<PluginInstance>& instance) {
    CAPSTAN_TRY(const capstan_async_expander* const table,
                instance->interface<capstan_async_expander>(CAPSTAN_INTERFACE_ASYNC_EXPANDER));
    if (table == nullptr) return nullptr;
    return std::shared_ptr<ExpanderClient>(new ExpanderClient(instance, *table));
}

Duration ExpanderClient::deadline() const {
    return instance_->context().identity().limits.call_deadline.value_or(service_deadline);
}

void ExpanderClient::filter(Question question, Done done) {
    auto call = std::make_shared<Call>(std::move(question), std::move(done));
    instance_->context().strand().post_to_host(
        [self = shared_from_this(), call = std::move(call)] { self->begin(call); });
}

void ExpanderClient::begin(const std::shared_ptr<Call>& call) {
    services::HostContext& context = instance_->context();
    const std::string name =
        "plugin " + instance_->id() + ": " + std::string(loop::name_of(loop::Hook::filter));
    if (const Result<void> askable = check_askable(*instance_); !askable)
        return call->done(fail(within(name, askable.error())));
    const auto options = static_cast<std::uint32_t>(call->question.asked.options.size());
    const Result<capstan_op> op = context.operations().open(
        {.what = name,
         .result_type = CAPSTAN_RESULT_SELECTION,
         .deadline = context.clock().monotonic() + deadline(),
         .hook = loop::Hook::filter,
         .from_abi = [options](const void* raw) { return kept_from_abi(raw, options); },
         .done =
             [self = shared_from_this(), call](Result<std::any> result) {
                 if (result) return call->done(std::any_cast<KeptOptions>(*std::move(result)));
                 self->instance_->context().metrics().hook_failed(loop::Hook::filter,
                                                                  result.error().code);
                 call->done(fail(std::move(result).error()));
             }});
    if (!op) return call->done(fail(op.error()));
    context.strand().dispatch([self = shared_from_this(), call, op = *op] {
        call_for_operation(self->instance_->context(), op, loop::Hook::filter, [&] {
            return loop::distrusted(self->table_.filter)(self->table_.self, op, &call->request);
        });
    });
}

}  // namespace capstan::plugin_runtime::instances
