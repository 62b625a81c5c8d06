#include "plugin_runtime/instances/expander_client.hpp"

#include <algorithm>
#include <any>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

#include "io/printable.hpp"
#include "plugin_runtime/instances/abi_options.hpp"
#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/instances/operation_call.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

/// As in upstream's grpc expander.
constexpr Duration service_deadline = std::chrono::seconds(5);

std::vector<std::uint32_t> all_of(const std::vector<ScaleUpOption>& options) {
    std::vector<std::uint32_t> out(options.size());
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
          crossing(question.options, question.pods, question.cluster_nodes,
                   all_of(question.options)),
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
    const auto options = static_cast<std::uint32_t>(call->question.options.size());
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
