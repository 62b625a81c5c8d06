#include "plugin_runtime/instances/instance.hpp"

#include <capstan/abi/autoprovision.h>
#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/loop/guarded_call.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

/// Between two tries to find the gate free of calls.
constexpr Duration reconfigure_pause = std::chrono::milliseconds(2);
/// How long after its deadline the answer of a reconfigure is still waited for.
constexpr Duration reconfigure_grace = std::chrono::seconds(1);
constexpr Duration default_call_deadline = std::chrono::seconds(1);

std::string named(const services::HostContext& context) { return "plugin " + context.id(); }

Unexpected bug(std::string message) { return fail(ErrorCode::internal, std::move(message)); }

/// A call that is not part of a pass.
HookCall::Facts single_call_facts(services::HostContext& context, Duration deadline) {
    return {.seed = context.random().next(), .now = context.clock().now(), .deadline = deadline};
}

// The function tables that interface_of returns.

struct Function {
    const char* name;
    std::size_t offset;
};

struct Table {
    std::string_view id;
    std::vector<Function> required;
};

const std::vector<Table>& tables() {
    static const std::vector<Table> all{
        {CAPSTAN_KIND_EXPANDER, {{"filter", offsetof(capstan_expander, filter)}}},
        {CAPSTAN_INTERFACE_ASYNC_EXPANDER, {{"filter", offsetof(capstan_async_expander, filter)}}},
        {CAPSTAN_KIND_SIMILARITY, {{"similar", offsetof(capstan_similarity, similar)}}},
        {CAPSTAN_KIND_SPLITTER, {{"split", offsetof(capstan_splitter, split)}}},
        {CAPSTAN_KIND_CLOUD,
         {{"refresh", offsetof(capstan_cloud, refresh)},
          {"increase", offsetof(capstan_cloud, increase)},
          {"decrease_target", offsetof(capstan_cloud, decrease_target)},
          {"remove", offsetof(capstan_cloud, remove)}}},
        {CAPSTAN_KIND_CONTROLLER, {{"reconcile", offsetof(capstan_controller, reconcile)}}},
        {CAPSTAN_INTERFACE_TEMPLATES, {{"describe", offsetof(capstan_cloud_templates, describe)}}},
        {CAPSTAN_INTERFACE_PRICING, {{"price", offsetof(capstan_cloud_pricing, price)}}},
        {CAPSTAN_KIND_GROUP_SOURCE,
         {{"suggest", offsetof(capstan_group_source, suggest)},
          {"owns", offsetof(capstan_group_source, owns)}}},
        {CAPSTAN_INTERFACE_AUTOPROVISION,
         {{"machine_types", offsetof(capstan_cloud_autoprovision, machine_types)},
          {"new_group", offsetof(capstan_cloud_autoprovision, new_group)},
          {"create", offsetof(capstan_cloud_autoprovision, create)},
          {"destroy", offsetof(capstan_cloud_autoprovision, destroy)}}},
        {CAPSTAN_INTERFACE_OPTIONS, {{"get", offsetof(capstan_cloud_options, get)}}},
    };
    return all;
}

template <class T>
T read_member(const void* table, std::size_t offset) {
    T value{};
    std::memcpy(&value, static_cast<const std::byte*>(table) + offset, sizeof value);
    return value;
}

Result<void> check(const Table& expected, const void* table) {
    const auto size = read_member<std::uint32_t>(table, 0);
    for (const Function& function : expected.required) {
        const std::string name = "interface " + std::string(expected.id) + ": " + function.name;
        if (size < function.offset + sizeof(void*)) {
            return fail(ErrorCode::internal,
                        name + " is beyond the table's struct_size of " + std::to_string(size));
        }
        if (read_member<void*>(table, function.offset) == nullptr)
            return fail(ErrorCode::internal, name + " is NULL");
    }
    return {};
}

/// The table of the interface `id`, long enough and with every function that is not optional. NULL:
/// the instance does not have the interface. `internal`: the table is unusable. The table of an
/// interface that the host does not know is not checked.
Result<const void*> find_interface(const capstan_instance& instance, std::string_view id) {
    const std::string name(id);
    const Result<const void*> asked = loop::call_guarded(
        [&] { return loop::distrusted(instance.interface_of)(instance.self, name.c_str()); });
    if (!asked) return fail(ErrorCode::internal, "interface_of " + asked.error().message);
    const void* const table = *asked;
    if (table == nullptr) return nullptr;
    const auto expected =
        std::find_if(tables().begin(), tables().end(), [id](const Table& t) { return t.id == id; });
    if (expected != tables().end()) CAPSTAN_CHECK(check(*expected, table));
    return table;
}

Result<void> check_instance(const capstan_instance* made, std::string_view kind) {
    if (made == nullptr) return bug("create returned OK without an instance");
    if (!CAPSTAN_REACHES(made, capstan_instance, destroy)) {
        return bug("create returned an instance whose struct_size is " +
                   std::to_string(made->struct_size));
    }
    if (made->interface_of == nullptr)
        return bug("create returned an instance without interface_of");
    if (made->destroy == nullptr) return bug("create returned an instance without destroy");
    CAPSTAN_TRY(const void* const table, find_interface(*made, kind));
    if (table == nullptr)
        return bug("interface_of returned NULL for the class's kind " + std::string(kind));
    return {};
}

bool can_be_destroyed(const capstan_instance* made) {
    return CAPSTAN_HAS(made, capstan_instance, destroy);
}

}  // namespace

Result<const capstan_instance*> PluginInstance::make(services::HostContext& context,
                                                     const capstan_class& type,
                                                     const capstan_settings& settings) {
    const capstan_instance* made = nullptr;
    HookCall call(single_call_facts(context, context.clock().monotonic() + default_call_deadline));
    const Result<capstan_status> status = context.calls().call_on_strand(loop::Hook::create, [&] {
        return loop::distrusted(type.create)(context.host(), &settings, call.abi(), &made);
    });
    if (!status) return fail(status.error().code, "create " + status.error().message);
    CAPSTAN_CHECK(call.outcome(*status, "create"));
    const Result<void> checked = check_instance(made, text(type.kind));
    if (checked) return made;
    if (can_be_destroyed(made))
        std::ignore = context.calls().call_on_strand(
            loop::Hook::destroy, [&] { loop::distrusted(made->destroy)(made->self); });
    return fail(checked.error());
}

Result<std::shared_ptr<PluginInstance>> PluginInstance::create(
    const services::HostEnvironment& environment, InstanceSpec spec,
    const capstan_settings& settings) {
    auto context = services::HostContext::make(environment, std::move(spec.identity));
    return create(std::move(context), std::move(spec), settings);
}

Result<std::shared_ptr<PluginInstance>> PluginInstance::create(
    std::shared_ptr<services::HostContext> context, InstanceSpec spec,
    const capstan_settings& settings) {
    if (!CAPSTAN_HAS(spec.type, capstan_class, create))
        return bug(named(*context) + ": its class has no create");
    const std::string_view kind = text(spec.type->kind);
    if (context->withholds(kind))
        return fail(ErrorCode::invalid_config,
                    named(*context) + ": " + services::withheld_text(kind));
    const Result<const capstan_instance*> made = make(*context, *spec.type, settings);
    if (made)
        return std::shared_ptr<PluginInstance>(new PluginInstance(context, std::move(spec), *made));
    context->metrics().hook_failed(loop::Hook::create, made.error().code);
    context->abandon();
    Error error = within(named(*context), made.error());
    // It may have failed because a draft was withheld from it.
    if (const std::string withheld = context->withheld(); !withheld.empty())
        error.message += "; " + withheld;
    return fail(std::move(error));
}

PluginInstance::PluginInstance(std::shared_ptr<services::HostContext> context, InstanceSpec spec,
                               const capstan_instance* made)
    : context_(std::move(context)),
      type_(spec.type),
      library_(std::move(spec.library)),
      instance_(made),
      hook_backoffs_(!is_parallel()) {}

std::string_view PluginInstance::kind() const noexcept { return text(type_->kind); }

Duration PluginInstance::call_deadline() const noexcept {
    return context_->identity().limits.call_deadline.value_or(default_call_deadline);
}

Result<const void*> PluginInstance::interface_table(std::string_view interface_id) const {
    if (instance_ == nullptr) return fail(ErrorCode::unavailable, named(*context_) + " is stopped");
    if (context_->withholds(interface_id)) return nullptr;
    Result<const void*> table = find_interface(*instance_, interface_id);
    if (!table) return fail(within(named(*context_), std::move(table).error()));
    return table;
}

/// Nothing may be asked while an earlier call does not return.
Result<void> PluginInstance::demand_free(loop::Hook hook) const {
    const auto stuck = context_->strand().stuck();
    if (!stuck) return {};
    return fail(ErrorCode::unavailable, named(*context_) + ": " + std::string(loop::name_of(hook)) +
                                            ": not called while its " +
                                            std::string(loop::name_of(stuck->hook)) +
                                            " has not returned");
}

/// Opens an operation and has the strand call the plugin's function with it. `done` is called at
/// its end. `call` lives until then.
capstan_op PluginInstance::ask(loop::Hook hook, std::function<capstan_status(capstan_op)> call,
                               Duration timeout, const Done& done) {
    const auto shared =
        std::make_shared<const std::function<capstan_status(capstan_op)>>(std::move(call));
    services::Operation operation{
        .what = named(*context_) + ": " + std::string(loop::name_of(hook)),
        .deadline = context_->clock().monotonic() + timeout,
        .reserved = true,
        .hook = hook,
        .from_abi = {},
        .done = [self = shared_from_this(), hook, done, shared](const Result<std::any>& result) {
            if (result) return done({});
            self->context_->metrics().hook_failed(hook, result.error().code);
            done(fail(result.error()));
        }};
    const Result<capstan_op> opened = context_->operations().open(std::move(operation));
    if (!opened) {
        done(fail(opened.error()));
        return 0;
    }
    context_->strand().dispatch([self = shared_from_this(), hook, shared, op = *opened] {
        // Closed meanwhile, by its deadline or a stop: no plugin is to be asked any more.
        if (self->context_->operations().is_cancelled(op)) return;
        self->context_->operations().answered(
            op, self->context_->calls().call_on_strand(hook, [&] { return (*shared)(op); }));
    });
    return *opened;
}

capstan_op PluginInstance::ask_to_stop(Duration timeout, StopReason reason, const Done& done) {
    const capstan_stop_request request{sizeof request, context_->request_flags(),
                                       static_cast<std::int32_t>(reason), 0};
    return ask(loop::Hook::stop, request_of(instance_->stop, request), timeout, done);
}

void PluginInstance::start(Duration timeout, Done done, StartReason reason) {
    context_->strand().post_to_host([self = shared_from_this(), timeout, reason,
                                     done = std::move(done)] {
        State expected = State::created;
        if (!self->state_.compare_exchange_strong(expected, State::starting)) {
            return done(bug(named(*self->context_) + ": already started"));
        }
        const auto ended = [self, done](Result<void> result) {
            State starting = State::starting;  // a stop may have come meanwhile
            self->state_.compare_exchange_strong(starting, result ? State::running : State::failed);
            done(std::move(result));
        };
        if (!CAPSTAN_HAS(self->instance_, capstan_instance, start)) return ended({});
        if (const Result<void> free = self->demand_free(loop::Hook::start); !free)
            return ended(free);
        const capstan_start_request request{sizeof request, self->context_->request_flags(),
                                            static_cast<std::int32_t>(reason), 0};
        self->ask(loop::Hook::start, self->request_of(self->instance_->start, request), timeout,
                  ended);
    });
}

void PluginInstance::self_check(Duration timeout, Done done) {
    context_->strand().post_to_host([self = shared_from_this(), timeout, done = std::move(done)] {
        if (!self->is_running())
            return done(fail(ErrorCode::unavailable, named(*self->context_) + " is not running"));
        if (!CAPSTAN_HAS(self->instance_, capstan_instance, self_check)) return done({});
        if (const Result<void> free = self->demand_free(loop::Hook::self_check); !free)
            return done(free);
        const capstan_self_check_request request{sizeof request, self->context_->request_flags()};
        self->ask(loop::Hook::self_check, self->request_of(self->instance_->self_check, request),
                  timeout, done);
    });
}

void PluginInstance::reconfigure(std::shared_ptr<const capstan_settings> settings, Duration timeout,
                                 Done done) {
    const Duration deadline = context_->clock().monotonic() + timeout;
    const Done answer = answering_once(timeout, std::move(done));
    if (Result<void> free = demand_free(loop::Hook::reconfigure); !free)
        return answer(std::move(free));
    context_->strand().post([self = shared_from_this(), settings = std::move(settings), deadline,
                             answer] { self->reconfigure_now(settings, deadline, answer); });
}

/// `done`, on the host's side; where the strand has a thread that does not return, at the end of
/// `timeout`.
PluginInstance::Done PluginInstance::answering_once(Duration timeout, Done done) {
    loop::Strand& strand = context_->strand();
    if (!strand.has_thread()) return done;
    struct Answer {
        std::atomic<bool> is_given{false};
        io::TimerId timer = 0;
        Done done;
    };
    const auto answer = std::make_shared<Answer>();
    answer->done = std::move(done);
    const std::string late =
        named(*context_) +
        ": reconfigure: did not return in time; its settings in force are unknown";
    answer->timer = context_->loop().after(timeout + reconfigure_grace, [answer, late] {
        if (!answer->is_given.exchange(true)) answer->done(fail(ErrorCode::deadline, late));
    });
    return [self = shared_from_this(), answer](Result<void> result) {
        self->context_->strand().post_to_host([self, answer, result = std::move(result)] {
            self->context_->loop().cancel(answer->timer);
            if (!answer->is_given.exchange(true)) answer->done(result);
        });
    };
}

/// While a call is inside a hook, tries again later, so that the strand does not wait. [strand]
void PluginInstance::reconfigure_now(const std::shared_ptr<const capstan_settings>& settings,
                                     Duration deadline, const Done& done) {
    const std::string name = named(*context_) + ": reconfigure";
    if (!is_running()) return done(fail(ErrorCode::unavailable, name + ": not running"));
    if (!CAPSTAN_HAS(instance_, capstan_instance, reconfigure)) {
        return done(fail(ErrorCode::unsupported, name + ": settings cannot change while it runs"));
    }
    if (gate_.try_enter_alone()) {
        Result<void> result = call_reconfigure(*settings, deadline);
        gate_.leave();
        return done(std::move(result));
    }
    if (context_->clock().monotonic() >= deadline) {
        return done(fail(ErrorCode::deadline, name + ": its hooks were busy until the deadline"));
    }
    context_->loop().after(
        reconfigure_pause, [self = shared_from_this(), settings, deadline, done] {
            self->context_->strand().post([=] { self->reconfigure_now(settings, deadline, done); });
        });
}

Result<void> PluginInstance::call_reconfigure(const capstan_settings& settings, Duration deadline) {
    HookCall call(single_call_facts(*context_, deadline));
    const std::string name = named(*context_) + ": reconfigure";
    const Result<capstan_status> status =
        context_->calls().call_on_strand(loop::Hook::reconfigure, [&] {
            return loop::distrusted(instance_->reconfigure)(instance_->self, &settings, call.abi());
        });
    if (!status) {
        context_->metrics().hook_failed(loop::Hook::reconfigure, status.error().code);
        return fail(status.error().code, name + " " + status.error().message);
    }
    if (*status == CAPSTAN_OK) return {};
    context_->metrics().hook_failed(loop::Hook::reconfigure, error_code(*status));
    return call.outcome(*status, name);
}

}  // namespace capstan::plugin_runtime::instances
