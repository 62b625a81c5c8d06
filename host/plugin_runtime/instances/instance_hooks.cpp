// When passes skip a decision hook of an instance, and what happens to calls that overran.
#include <capstan/time_text.hpp>

#include "plugin_runtime/instances/instance.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"
#include "plugin_runtime/loop/abandoned_threads.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

/// "05:31:02Z".
std::string clock_text(Time time) { return format_rfc3339(time, 0).substr(sizeof "2026-11-21"); }

std::string deadline_text(const PluginInstance& instance) {
    return std::to_string(instance.call_deadline() / std::chrono::milliseconds(1)) + " ms";
}

}  // namespace

std::optional<std::string> PluginInstance::find_skip_reason(loop::Hook hook) const {
    const auto out = hook_backoffs_.find(hook, context_->clock().monotonic());
    if (!out) return std::nullopt;
    if (!out->not_returned)
        return "it timed out repeatedly; not called until " + clock_text(out->backoff_until);
    if (*out->not_returned == hook) return "an earlier call that timed out has not returned";
    return "a call of " + std::string(loop::name_of(*out->not_returned)) +
           " has not returned, and the plugin accepts one call at a time";
}

std::optional<std::string> PluginInstance::skip_reason(loop::Hook hook) {
    std::optional<std::string> because = find_skip_reason(hook);
    context_->metrics().set_hook_skipped(hook, because.has_value());
    return because;
}

std::vector<std::pair<loop::Hook, std::string>> PluginInstance::skipped_hooks() const {
    std::vector<std::pair<loop::Hook, std::string>> out;
    for (const loop::Hook hook : loop::decision_hooks)
        if (auto because = find_skip_reason(hook)) out.emplace_back(hook, *std::move(because));
    return out;
}

std::shared_ptr<void> PluginInstance::abandon_call(loop::Hook hook, clockid_t cpu_clock) {
    const Duration since = context_->clock().monotonic();
    const std::optional<Time> backoff_until =
        hook_backoffs_.overran(hook, since, context_->clock().now());
    context_->metrics().hook_overran(hook);
    context_->metrics().set_hook_skipped(hook, true);
    const std::string name(loop::name_of(hook));
    context_->say(config::LogLevel::error,
                  name + " did not return within its deadline of " + deadline_text(*this) +
                      ": skipped until that call returns" +
                      (backoff_until ? " and until " + clock_text(*backoff_until) +
                                           " because of repeated timeouts"
                                     : std::string()) +
                      "; meanwhile " + std::string(fallback_of(hook)));
    return {nullptr,
            [self = shared_from_this(), hook, name, since,
             thread = context_->abandoned_threads().add(id(), hook, cpu_clock)](void*) mutable {
                thread.reset();
                self->hook_backoffs_.returned(hook);
                const auto because = self->skip_reason(hook);
                const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
                    self->context_->clock().monotonic() - since);
                self->context_->say(config::LogLevel::warn,
                                    name + " has returned " + std::to_string(took.count()) +
                                        " ms after its deadline: " +
                                        (because ? "still skipped: " + *because : "called again"));
            }};
}

void PluginInstance::ended_in_time(loop::Hook hook) {
    hook_backoffs_.ended_in_time(hook, context_->clock().monotonic());
}

}  // namespace capstan::plugin_runtime::instances
