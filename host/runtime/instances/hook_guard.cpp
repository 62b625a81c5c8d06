#include "runtime/instances/hook_guard.hpp"

#include <chrono>

#include "runtime/instances/absent_policies.hpp"
#include "runtime/instances/hook_call.hpp"

namespace capstan::runtime {

namespace {

using std::chrono::steady_clock;

HookCall::Facts pass_call_facts(const PluginInstance& instance,
                                const engine::Circumstances& circumstances, const PassWatch& watch,
                                steady_clock::time_point end) {
    return {.flags = call_flags(circumstances),
            .seed = circumstances.seed,
            .now = circumstances.now,
            .deadline = instance.context().clock().monotonic() + instance.call_deadline(),
            .is_given_up = [&watch, end] {
                return watch.is_abandoned() || steady_clock::now() >= end;
            }};
}

/// Inside the instance's gate until it goes.
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

void report_time(PluginInstance& instance, Hook hook, Duration took) {
    instance.context().metrics().hook_took(hook, std::chrono::duration<double>(took).count());
    if (took < instance.call_deadline() / 2) return;
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    instance.context().say(LogLevel::warn, std::string(name_of(hook)) + " took " +
                                               std::to_string(milliseconds) +
                                               " ms, more than half of what it may");
}

Result<void> check_gate_entry(HookGate::Entry entry, const std::string& name) {
    if (entry == HookGate::Entry::closed)
        return fail(ErrorCode::unavailable, name + ": it is stopping");
    if (entry == HookGate::Entry::timed_out)
        return fail(ErrorCode::busy, name + ": another call is under way");
    return {};
}

}  // namespace

std::uint32_t call_flags(const engine::Circumstances& circumstances) noexcept {
    return (circumstances.dry_run ? std::uint32_t{CAPSTAN_CALL_DRY_RUN} : 0u) |
           (circumstances.simulation ? std::uint32_t{CAPSTAN_CALL_SIMULATION} : 0u);
}

std::string hook_name(const PluginInstance& instance, Hook hook) {
    return "plugin " + instance.id() + ": " + std::string(name_of(hook));
}

Result<std::vector<std::string>> call_hook(
    PluginInstance& instance, Hook hook, const engine::Circumstances& circumstances,
    PassWatch& watch, const std::function<capstan_status(const capstan_call*)>& body) {
    if (watch.is_absent(instance)) return fail(not_started(instance.context().identity().id));
    if (const std::string* const because = watch.missed(instance, hook))
        return fail(ErrorCode::deadline, hook_name(instance, hook) + " is left out: " + *because);
    if (!instance.is_running())
        return fail(ErrorCode::unavailable, hook_name(instance, hook) + ": it is not running");
    const auto end = steady_clock::now() + instance.call_deadline();
    const GateStay stay(instance, end);
    if (stay.entry() != HookGate::Entry::entered) {
        CAPSTAN_CHECK(check_gate_entry(stay.entry(), hook_name(instance, hook)));
    }
    HookCall call(pass_call_facts(instance, circumstances, watch, end));
    const Duration spent_before = PluginTime::spent();
    watch.enter(instance, hook, end);
    const Result<capstan_status> status =
        instance.context().calls().call(hook, [&] { return body(call.abi()); });
    watch.leave();
    instance.ended_in_time(hook);
    report_time(instance, hook, PluginTime::spent() - spent_before);
    if (!status) {
        instance.context().metrics().hook_failed(hook, status.error().code);
        return fail(status.error().code, hook_name(instance, hook) + " " + status.error().message);
    }
    if (*status == CAPSTAN_OK) return call.take_sentences();
    // A price that the cloud does not know is an answer, and comes again in every pass.
    const bool is_answer = hook == Hook::price && *status == CAPSTAN_E_NOT_FOUND;
    if (!is_answer) instance.context().metrics().hook_failed(hook, error_code(*status));
    return fail(call.outcome(*status, hook_name(instance, hook)).error());
}

Unexpected contract_breach(PluginInstance& instance, Hook hook, const std::string& what) {
    instance.context().metrics().hook_failed(hook, ErrorCode::internal);
    const std::string sentence = std::string(name_of(hook)) + " " + what;
    instance.context().say(LogLevel::error, sentence);
    return fail(ErrorCode::internal, "plugin " + instance.id() + ": " + sentence);
}

}  // namespace capstan::runtime
