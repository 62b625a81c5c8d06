#include "runtime/instances/instance.hpp"

#include <algorithm>
#include <utility>

#include "runtime/instances/hook_call.hpp"
#include "runtime/instances/interface_tables.hpp"

namespace capstan::runtime {

namespace {

/// Between two tries to find nobody inside a hook.
constexpr Duration reconfigure_pause = std::chrono::milliseconds(2);
constexpr Duration default_call_deadline = std::chrono::seconds(1);

std::string named(const HostContext& context) { return "plugin " + context.id(); }

Unexpected bug(std::string message) { return fail(ErrorCode::internal, std::move(message)); }

/// A call that is not part of a pass.
HookCall::Facts single_call_facts(HostContext& context, Duration deadline) {
    return {.seed = context.random().next(), .now = context.clock().now(), .deadline = deadline};
}

Result<void> check_instance(const capstan_instance* made, std::string_view kind) {
    if (made == nullptr) return bug("create answered OK and left no instance");
    if (!CAPSTAN_REACHES(made, capstan_instance, destroy)) {
        return bug("create left an instance whose struct_size is " +
                   std::to_string(made->struct_size));
    }
    if (made->interface_of == nullptr) return bug("create left an instance without interface_of");
    if (made->destroy == nullptr) return bug("create left an instance without destroy");
    CAPSTAN_TRY(const void* const table, find_interface(*made, kind));
    if (table == nullptr)
        return bug("interface_of knows nothing of the class's kind " + std::string(kind));
    return {};
}

bool can_be_destroyed(const capstan_instance* made) {
    return CAPSTAN_HAS(made, capstan_instance, destroy);
}

}  // namespace

Result<const capstan_instance*> PluginInstance::make(HostContext& context,
                                                     const capstan_class& type,
                                                     const capstan_settings& settings) {
    const capstan_instance* made = nullptr;
    HookCall call(single_call_facts(context, context.clock().monotonic() + default_call_deadline));
    const capstan_status status = with_crumb(context.trail(), Hook::create, [&] {
        return type.create(context.host(), &settings, call.abi(), &made);
    });
    CAPSTAN_CHECK(call.outcome(status, "create"));
    const Result<void> checked = check_instance(made, text(type.kind));
    if (checked) return made;
    if (can_be_destroyed(made)) made->destroy(made->self);
    return fail(checked.error());
}

Result<std::shared_ptr<PluginInstance>> PluginInstance::create(const HostEnvironment& environment,
                                                               InstanceSpec spec,
                                                               const capstan_settings& settings) {
    auto context = HostContext::make(environment, std::move(spec.identity));
    return create(std::move(context), std::move(spec), settings);
}

Result<std::shared_ptr<PluginInstance>> PluginInstance::create(std::shared_ptr<HostContext> context,
                                                               InstanceSpec spec,
                                                               const capstan_settings& settings) {
    if (!CAPSTAN_HAS(spec.type, capstan_class, create))
        return bug(named(*context) + ": its class has no create");
    const Result<const capstan_instance*> made = make(*context, *spec.type, settings);
    if (made)
        return std::shared_ptr<PluginInstance>(new PluginInstance(context, std::move(spec), *made));
    context->metrics().hook_failed(Hook::create, made.error().code);
    context->abandon();
    return fail(within(named(*context), made.error()));
}

PluginInstance::PluginInstance(std::shared_ptr<HostContext> context, InstanceSpec spec,
                               const capstan_instance* made)
    : context_(std::move(context)),
      type_(spec.type),
      library_(std::move(spec.library)),
      instance_(made) {}

std::string_view PluginInstance::kind() const noexcept { return text(type_->kind); }

Duration PluginInstance::call_deadline() const noexcept {
    return context_->identity().limits.call_deadline.value_or(default_call_deadline);
}

Result<const void*> PluginInstance::interface_table(std::string_view interface_id) const {
    if (instance_ == nullptr) return fail(ErrorCode::unavailable, named(*context_) + " is stopped");
    Result<const void*> table = find_interface(*instance_, interface_id);
    if (!table) return fail(within(named(*context_), std::move(table).error()));
    return table;
}

void PluginInstance::quarantine(Hook hook) {
    int none = -1;
    if (!quarantined_by_.compare_exchange_strong(none, static_cast<int>(hook))) return;
    context_->close();
    context_->metrics().quarantined(true);
    context_->metrics().hook_overran(hook);
    context_->say(LogLevel::error,
                  std::string(name_of(hook)) + " did not return within its deadline of " +
                      std::to_string(call_deadline() / std::chrono::milliseconds(1)) +
                      " ms: the instance is quarantined and not asked any more");
}

std::optional<Hook> PluginInstance::quarantined_by() const noexcept {
    const int hook = quarantined_by_.load();
    return hook < 0 ? std::nullopt : std::optional(static_cast<Hook>(hook));
}

/// [strand] Opens an operation, calls the plugin's function with it, and has `done` called at its
/// end.
capstan_op PluginInstance::ask(Hook hook, Asynchronous function, Duration timeout,
                               const Done& done) {
    Operation operation{
        .what = named(*context_) + ": " + std::string(name_of(hook)),
        .deadline = context_->clock().monotonic() + timeout,
        .reserved = true,
        .raise = {},
        .done = [self = shared_from_this(), hook, done](const Result<std::any>& result) {
            if (result) return done({});
            self->context_->metrics().hook_failed(hook, result.error().code);
            done(fail(result.error()));
        }};
    const Result<capstan_op> op = context_->operations().open(std::move(operation));
    if (!op) {
        done(fail(op.error()));
        return 0;
    }
    context_->operations().answered(
        *op, with_crumb(context_->trail(), hook, [&] { return function(instance_->self, *op); }));
    return *op;
}

void PluginInstance::start(Duration timeout, Done done) {
    context_->strand().post([self = shared_from_this(), timeout, done = std::move(done)] {
        State expected = State::created;
        if (!self->state_.compare_exchange_strong(expected, State::starting)) {
            return done(bug(named(*self->context_) + ": was started before"));
        }
        const auto ended = [self, done](Result<void> result) {
            State starting = State::starting;  // a stop may have come meanwhile
            self->state_.compare_exchange_strong(starting, result ? State::running : State::failed);
            done(std::move(result));
        };
        if (!CAPSTAN_HAS(self->instance_, capstan_instance, start)) return ended({});
        self->ask(Hook::start, self->instance_->start, timeout, ended);
    });
}

void PluginInstance::self_check(Duration timeout, Done done) {
    context_->strand().post([self = shared_from_this(), timeout, done = std::move(done)] {
        if (!self->is_running())
            return done(fail(ErrorCode::unavailable, named(*self->context_) + " is not running"));
        if (!CAPSTAN_HAS(self->instance_, capstan_instance, self_check)) return done({});
        self->ask(Hook::self_check, self->instance_->self_check, timeout, done);
    });
}

void PluginInstance::reconfigure(std::shared_ptr<const capstan_settings> settings, Duration timeout,
                                 Done done) {
    context_->strand().post(
        [self = shared_from_this(), settings = std::move(settings),
         deadline = context_->clock().monotonic() + timeout,
         done = std::move(done)] { self->reconfigure_now(settings, deadline, done); });
}

/// [strand] Tries again later while somebody is inside a hook: the strand is not kept waiting.
void PluginInstance::reconfigure_now(const std::shared_ptr<const capstan_settings>& settings,
                                     Duration deadline, const Done& done) {
    const std::string name = named(*context_) + ": reconfigure";
    if (!is_running()) return done(fail(ErrorCode::unavailable, name + ": it is not running"));
    if (!CAPSTAN_HAS(instance_, capstan_instance, reconfigure)) {
        return done(fail(ErrorCode::unsupported, name + ": it takes no settings while it runs"));
    }
    if (gate_.try_enter_alone()) {
        Result<void> result = call_reconfigure(*settings, deadline);
        gate_.leave();
        return done(std::move(result));
    }
    if (context_->clock().monotonic() >= deadline) {
        return done(fail(ErrorCode::deadline, name + ": its hooks never came to rest"));
    }
    context_->loop().after(
        reconfigure_pause, [self = shared_from_this(), settings, deadline, done] {
            self->context_->strand().post([=] { self->reconfigure_now(settings, deadline, done); });
        });
}

Result<void> PluginInstance::call_reconfigure(const capstan_settings& settings, Duration deadline) {
    HookCall call(single_call_facts(*context_, deadline));
    const Crumb crumb(context_->trail(), Hook::reconfigure);
    const capstan_status status = instance_->reconfigure(instance_->self, &settings, call.abi());
    if (status == CAPSTAN_OK) return {};
    context_->metrics().hook_failed(Hook::reconfigure, error_code(status));
    return call.outcome(status, named(*context_) + ": reconfigure");
}

}  // namespace capstan::runtime
