#include "plugin_runtime/instances/hook_call.hpp"

#include <chrono>
#include <utility>

#include <capstan/view.hpp>

#include "io/printable.hpp"
#include "plugin_runtime/loop/guarded_call.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

using std::chrono::steady_clock;

HookCall::Facts pass_call_facts(const PluginInstance& instance, const PassCall& pass_call,
                                const PassWatch& watch, steady_clock::time_point end) {
    return {.flags = pass_call.flags,
            .seed = pass_call.seed,
            .now = pass_call.now,
            .deadline = instance.context().clock().monotonic() + instance.call_deadline(),
            .is_given_up = [&watch, end] {
                return watch.is_abandoned() || steady_clock::now() >= end;
            }};
}

/// Enters the instance's gate, and leaves it at the end of its life.
class GateStay {
public:
    GateStay(PluginInstance& instance, steady_clock::time_point deadline)
        : gate_(instance.gate()), entry_(gate_.enter(!instance.is_parallel(), deadline)) {}
    GateStay(const GateStay&) = delete;
    GateStay& operator=(const GateStay&) = delete;
    ~GateStay() {
        if (entry_ == HookGate::Entry::entered) gate_.leave();
    }
    HookGate::Entry entry() const { return entry_; }

private:
    HookGate& gate_;
    const HookGate::Entry entry_;
};

void report_time(PluginInstance& instance, loop::Hook hook, Duration took) {
    instance.context().metrics().hook_took(hook, std::chrono::duration<double>(took).count());
    if (took < instance.call_deadline() / 2) return;
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    instance.context().say(config::LogLevel::warn, std::string(loop::name_of(hook)) + " took " +
                                                       std::to_string(milliseconds) +
                                                       " ms, more than half of its deadline");
}

Result<void> check_gate_entry(HookGate::Entry entry, const std::string& name) {
    if (entry == HookGate::Entry::closed)
        return fail(ErrorCode::unavailable, name + ": the plugin is stopping");
    if (entry == HookGate::Entry::timed_out)
        return fail(ErrorCode::busy, name + ": another call is still running");
    return {};
}

}  // namespace

Error not_started(const PluginInstanceId& instance) {
    return {ErrorCode::unavailable, "plugin " + instance.value() + ": not called: not started"};
}

std::string hook_name(const PluginInstance& instance, loop::Hook hook) {
    return "plugin " + instance.id() + ": " + std::string(loop::name_of(hook));
}

Result<std::vector<std::string>> call_hook(
    PluginInstance& instance, loop::Hook hook, const PassCall& pass_call, PassWatch& watch,
    const std::function<capstan_status(const capstan_call*)>& body) {
    if (watch.is_absent(instance)) return fail(not_started(instance.context().identity().id));
    if (const std::string* const because = watch.skip_reason(instance, hook))
        return fail(ErrorCode::deadline, hook_name(instance, hook) + " is skipped: " + *because);
    if (!instance.is_running())
        return fail(ErrorCode::unavailable, hook_name(instance, hook) + ": not running");
    const auto end = steady_clock::now() + instance.call_deadline();
    const GateStay stay(instance, end);
    if (stay.entry() != HookGate::Entry::entered) {
        CAPSTAN_CHECK(check_gate_entry(stay.entry(), hook_name(instance, hook)));
    }
    HookCall call(pass_call_facts(instance, pass_call, watch, end));
    const Duration spent_before = loop::PluginTime::spent();
    watch.enter(instance, hook, end);
    const Result<capstan_status> status =
        instance.context().calls().call(hook, [&] { return body(call.abi()); });
    watch.leave();
    instance.ended_in_time(hook);
    report_time(instance, hook, loop::PluginTime::spent() - spent_before);
    if (!status) {
        instance.context().metrics().hook_failed(hook, status.error().code);
        return fail(status.error().code, hook_name(instance, hook) + " " + status.error().message);
    }
    if (*status == CAPSTAN_OK) return call.take_sentences();
    // A price that the cloud does not know is an answer, and comes again in every pass.
    const bool is_answer = hook == loop::Hook::price && *status == CAPSTAN_E_NOT_FOUND;
    if (!is_answer) instance.context().metrics().hook_failed(hook, error_code(*status));
    return fail(call.outcome(*status, hook_name(instance, hook)).error());
}

Unexpected contract_breach(PluginInstance& instance, loop::Hook hook, const std::string& what) {
    instance.context().metrics().hook_failed(hook, ErrorCode::internal);
    const std::string sentence = std::string(loop::name_of(hook)) + " " + what;
    instance.context().say(config::LogLevel::error, sentence);
    return fail(ErrorCode::internal, "plugin " + instance.id() + ": " + sentence);
}

HookCall::HookCall(Facts facts) : facts_(std::move(facts)) {
    abi_.struct_size = sizeof abi_;
    abi_.flags = facts_.flags;
    abi_.seed = facts_.seed;
    abi_.now_unix_ns = unix_ns(facts_.now);
    abi_.deadline_ns = facts_.deadline.count();
    abi_.ctx = this;
    abi_.cancelled = &cancelled;
    abi_.fail = &HookCall::fail;
    abi_.explain = &explain;
}

Result<void> HookCall::outcome(capstan_status status, std::string_view what) const {
    if (status == CAPSTAN_OK) return {};
    const std::lock_guard lock(mutex_);
    // The reported error counts only if its code agrees: a hook may have recovered from an earlier
    // error.
    if (error_ && error_->code == error_code(status)) return capstan::fail(within(what, *error_));
    return capstan::fail(loop::error_of(status, what));
}

std::vector<std::string> HookCall::take_sentences() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sentences_, {});
}

std::int32_t HookCall::cancelled(const capstan_call* call) noexcept {
    const auto& is_given_up = of(call).facts_.is_given_up;
    return is_given_up && is_given_up() ? 1 : 0;
}

capstan_status HookCall::fail(const capstan_call* call, const capstan_error* error) noexcept {
    try {
        Error copy = loop::copy_error(error);
        HookCall& self = of(call);
        const std::lock_guard lock(self.mutex_);
        self.error_ = std::move(copy);
        return static_cast<capstan_status>(self.error_->code);
    } catch (...) {  // no memory for the copy
        return CAPSTAN_E_INTERNAL;
    }
}

void HookCall::explain(const capstan_call* call, capstan_str sentence) noexcept {
    try {
        HookCall& self = of(call);
        const std::lock_guard lock(self.mutex_);
        if (self.sentences_.size() < sentences_max)
            self.sentences_.push_back(io::printable(text(sentence), sentence_bytes_max));
    } catch (...) {  // an explanation is worth less than the answer it explains
    }
}

}  // namespace capstan::plugin_runtime::instances
