#include "plugin_runtime/instances/cloud_client.hpp"

#include <algorithm>
#include <any>
#include <atomic>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/from_abi.hpp>
#include <capstan/from_abi_provisioning.hpp>
#include <capstan/to_abi.hpp>
#include <capstan/to_abi_provisioning.hpp>

#include "io/printable.hpp"
#include "plugin_runtime/instances/operation_call.hpp"
#include "plugin_runtime/instances/readable_view.hpp"
#include "plugin_runtime/loop/plugin_time.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

constexpr Duration default_deadline = std::chrono::minutes(1);
constexpr std::size_t waiting_limit = 4096;
/// A change that waited longer for the instance's thread asks its gate again.
constexpr Duration gate_age_max = std::chrono::seconds(1);

/// A request and its C struct. It lives until its operation has ended.
template <class Request>
struct Pinned {
    explicit Pinned(Request of) : request(std::move(of)), raw(arena.to_abi(request)) {}
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    const Request request;
    ProvisioningAbiArena arena;
    const decltype(arena.to_abi(request)) raw;
};

/// A request with a group's id. It lives until its operation has ended.
template <class Raw>
struct GroupRequest {
    GroupRequest(NodeGroupId group, std::uint32_t flags)
        : id(std::move(group)), raw{sizeof raw, flags, str(id.value())} {}
    GroupRequest(const GroupRequest&) = delete;
    GroupRequest& operator=(const GroupRequest&) = delete;
    const NodeGroupId id;
    const Raw raw;
};

bool is_change(loop::Hook hook) {
    return hook == loop::Hook::increase || hook == loop::Hook::decrease_target ||
           hook == loop::Hook::remove || hook == loop::Hook::create_group ||
           hook == loop::Hook::destroy_group;
}

std::string call_name(const PluginInstance& instance, loop::Hook hook) {
    return "plugin " + instance.id() + ": " + std::string(loop::name_of(hook));
}

Result<std::monostate> nothing_from_abi(const void* /*result*/) { return std::monostate(); }

/// Reads a result of which the operation only has the address.
template <class Raw, auto from_abi>
auto from_abi_as(const void* result) {
    return from_abi(*static_cast<const Raw*>(result));
}

}  // namespace

/// One call, from its request to its end.
struct CloudClient::Call {
    loop::Hook hook;
    Duration timeout;
    std::uint32_t result_type;
    std::function<Result<std::any>(const void*)> from_abi;
    std::function<void(Result<std::any>)> done;
    std::function<capstan_status(capstan_op)> start;  ///< owns the request
    std::atomic<bool> is_asked{false};                ///< the plugin has been called
    bool is_probe = false;                            ///< other changes wait until it has ended
    bool is_second_probe = false;                     ///< the probe before it was throttled
};

Result<std::shared_ptr<CloudClient>> CloudClient::of(std::shared_ptr<PluginInstance> instance,
                                                     ChangeGate gate) {
    CAPSTAN_TRY(const capstan_cloud* const cloud,
                instance->interface<capstan_cloud>(CAPSTAN_KIND_CLOUD));
    if (cloud == nullptr)
        return fail(ErrorCode::internal,
                    "plugin " + instance->id() + " is not a " CAPSTAN_KIND_CLOUD);
    CAPSTAN_TRY(const capstan_cloud_templates* const templates,
                instance->interface<capstan_cloud_templates>(CAPSTAN_INTERFACE_TEMPLATES));
    CAPSTAN_TRY(const capstan_cloud_autoprovision* const groups,
                instance->interface<capstan_cloud_autoprovision>(CAPSTAN_INTERFACE_AUTOPROVISION));
    return std::shared_ptr<CloudClient>(
        new CloudClient(std::move(instance), *cloud, {templates, groups}, std::move(gate)));
}

CloudClient::CloudClient(std::shared_ptr<PluginInstance> instance, const capstan_cloud& cloud,
                         Companions companions, ChangeGate gate)
    : instance_(std::move(instance)),
      cloud_(cloud),
      templates_(companions.templates),
      groups_(companions.groups),
      gate_(std::move(gate)) {}

template <class T>
void CloudClient::submit(loop::Hook hook, Duration timeout, std::uint32_t result_type,
                         FromAbi<T> from_abi, Start start, Done<T> done) {
    auto call = std::make_shared<Call>();
    call->hook = hook;
    call->timeout = timeout;
    call->result_type = result_type;
    call->from_abi = [from_abi = std::move(from_abi)](const void* result) -> Result<std::any> {
        CAPSTAN_TRY(T value, from_abi(result));
        return std::any(std::move(value));
    };
    call->done = [done = std::move(done)](Result<std::any> result) {
        if (!result) return done(fail(std::move(result).error()));
        // A call without a result has an empty std::any.
        if (!result->has_value()) return done(T());
        done(std::any_cast<T>(std::move(*result)));
    };
    call->start = std::move(start);
    instance_->context().strand().post_to_host(
        [self = shared_from_this(), call] { self->begin(call); });
}

void CloudClient::refresh(Refresh refresh, Done<View> done) {
    const auto request = std::make_shared<const capstan_refresh_request>(capstan_refresh_request{
        sizeof(capstan_refresh_request),
        instance_->context().request_flags() |
            (has_changed_.exchange(false) ? std::uint32_t{CAPSTAN_REFRESH_UNCACHED} : 0u) |
            (refresh.probe ? std::uint32_t{CAPSTAN_REFRESH_PROBE} : 0u)});
    submit<View>(
        loop::Hook::refresh, instance_->context().identity().limits.refresh_deadline,
        CAPSTAN_RESULT_CLOUD_VIEW,
        [known = std::move(refresh.known)](const void* result) -> Result<View> {
            const auto& raw = *static_cast<const capstan_cloud_view*>(result);
            if (known && is_unchanged(raw, *known)) return known;
            CAPSTAN_TRY(CloudView view, readable_view_from_abi(raw));
            return std::make_shared<const CloudView>(std::move(view));
        },
        [&cloud = cloud_, request](capstan_op op) {
            return loop::distrusted(cloud.refresh)(cloud.self, op, request.get());
        },
        [self = shared_from_this(), request, done = std::move(done)](Result<View> view) {
            if (!view && (request->flags & CAPSTAN_REFRESH_UNCACHED) != 0)
                self->has_changed_ = true;
            done(std::move(view));
        });
}

void CloudClient::increase(Resize resize, Done<Resized> done) {
    const auto pinned = std::make_shared<const Pinned<Resize>>(std::move(resize));
    submit<Resized>(
        loop::Hook::increase, call_deadline(), CAPSTAN_RESULT_RESIZED,
        &from_abi_as<capstan_resized, resized_from_abi>,
        [&cloud = cloud_, pinned](capstan_op op) {
            return loop::distrusted(cloud.increase)(cloud.self, op, &pinned->raw);
        },
        std::move(done));
}

void CloudClient::decrease_target(Resize resize, Done<Resized> done) {
    const auto pinned = std::make_shared<const Pinned<Resize>>(std::move(resize));
    submit<Resized>(
        loop::Hook::decrease_target, call_deadline(), CAPSTAN_RESULT_RESIZED,
        &from_abi_as<capstan_resized, resized_from_abi>,
        [&cloud = cloud_, pinned](capstan_op op) {
            return loop::distrusted(cloud.decrease_target)(cloud.self, op, &pinned->raw);
        },
        std::move(done));
}

void CloudClient::remove(Removal removal, Done<Removed> done) {
    const auto pinned = std::make_shared<const Pinned<Removal>>(std::move(removal));
    submit<Removed>(
        loop::Hook::remove, call_deadline(), CAPSTAN_RESULT_REMOVED,
        &from_abi_as<capstan_removed, removed_from_abi>,
        [&cloud = cloud_, pinned](capstan_op op) {
            return loop::distrusted(cloud.remove)(cloud.self, op, &pinned->raw);
        },
        std::move(done));
}

void CloudClient::describe(NodeGroupId group, Done<NodeTemplate> done) {
    const auto* const templates = templates_;
    const auto request = std::make_shared<const GroupRequest<capstan_describe_request>>(
        std::move(group), instance_->context().request_flags());
    submit<NodeTemplate>(
        loop::Hook::describe, call_deadline(), CAPSTAN_RESULT_TEMPLATE,
        &from_abi_as<capstan_template, template_from_abi>,
        [templates, request](capstan_op op) -> capstan_status {
            if (templates == nullptr) return CAPSTAN_E_UNSUPPORTED;
            return loop::distrusted(templates->describe)(templates->self, op, &request->raw);
        },
        std::move(done));
}

void CloudClient::machine_types(Done<MachineTypes> done) {
    const auto request =
        std::make_shared<const capstan_machine_types_request>(capstan_machine_types_request{
            sizeof(capstan_machine_types_request), instance_->context().request_flags()});
    submit<MachineTypes>(
        loop::Hook::machine_types, call_deadline(), CAPSTAN_RESULT_MACHINE_TYPES,
        &from_abi_as<capstan_machine_types, machine_types_from_abi>,
        [groups = groups_, request](capstan_op op) -> capstan_status {
            if (groups == nullptr) return CAPSTAN_E_UNSUPPORTED;
            return loop::distrusted(groups->machine_types)(groups->self, op, request.get());
        },
        std::move(done));
}

void CloudClient::create(GroupPlan plan, Done<std::monostate> done) {
    const auto pinned = std::make_shared<const Pinned<GroupPlan>>(std::move(plan));
    submit<std::monostate>(
        loop::Hook::create_group, call_deadline(), CAPSTAN_RESULT_NONE, &nothing_from_abi,
        [groups = groups_, pinned](capstan_op op) -> capstan_status {
            if (groups == nullptr) return CAPSTAN_E_UNSUPPORTED;
            return loop::distrusted(groups->create)(groups->self, op, &pinned->raw);
        },
        std::move(done));
}

void CloudClient::destroy(NodeGroupId group, Done<std::monostate> done) {
    const auto request = std::make_shared<const GroupRequest<capstan_destroy_request>>(
        std::move(group), instance_->context().request_flags());
    submit<std::monostate>(
        loop::Hook::destroy_group, call_deadline(), CAPSTAN_RESULT_NONE, &nothing_from_abi,
        [groups = groups_, request](capstan_op op) -> capstan_status {
            if (groups == nullptr) return CAPSTAN_E_UNSUPPORTED;
            return loop::distrusted(groups->destroy)(groups->self, op, &request->raw);
        },
        std::move(done));
}

Duration CloudClient::call_deadline() const {
    return instance_->context().identity().limits.call_deadline.value_or(default_deadline);
}

Result<void> CloudClient::ask_gate(loop::Hook hook) const {
    return is_change(hook) && gate_ ? gate_() : Result<void>();
}

void CloudClient::begin(const std::shared_ptr<Call>& call) {
    services::HostContext& context = instance_->context();
    if (const Result<void> askable = check_askable(*instance_); !askable)
        return give_up(*call, askable.error());
    if (const Result<void> may = ask_gate(call->hook); !may) return give_up(*call, may.error());
    if (waits_for_probe(call)) return;
    services::Operation operation{
        .what = call_name(*instance_, call->hook),
        .result_type = call->result_type,
        .deadline = context.clock().monotonic() + call->timeout,
        .hook = call->hook,
        .from_abi = call->from_abi,
        .done = [self = shared_from_this(), call](Result<std::any> result) {
            if (!result) {
                self->instance_->context().metrics().hook_failed(call->hook, result.error().code);
                if (!call->is_asked) result.error().provider_code = not_asked;
            }
            if (is_change(call->hook) && call->is_asked) self->has_changed_ = true;
            const bool is_done = result.has_value();
            const bool is_throttled = !is_done && result.error().code == ErrorCode::throttled;
            call->done(std::move(result));
            self->take_change(*call, is_throttled, is_done);
            self->ended();
        }};
    const Result<capstan_op> op = context.operations().open(std::move(operation));
    if (op) {
        ++under_way_;
        hand_over(call, *op);
    } else if (under_way_ > 0 && waiting_.size() < waiting_limit) {
        waiting_.push_back(call);  // begun by the end of a call under way
    } else {
        call->done(fail(op.error()));
        take_change(*call, false, false);
    }
}

void CloudClient::give_up(Call& call, Error because) {
    because.provider_code = not_asked;
    call.done(fail(within(call_name(*instance_, call.hook), std::move(because))));
    take_change(call, false, false);
}

/// Whether the call is a change that is not sent before the answer to another one. Of several
/// changes the first one is sent.
bool CloudClient::waits_for_probe(const std::shared_ptr<Call>& call) {
    if (!is_throttled_ || !is_change(call->hook) || call->is_probe) return false;
    if (is_probing_) {
        behind_probe_.push_back(call);
        return true;
    }
    is_probing_ = call->is_probe = true;
    return false;
}

/// A call has ended.
void CloudClient::take_change(Call& call, bool is_throttled, bool is_done) {
    if (!is_change(call.hook)) return;
    if (call.is_asked && (is_throttled || is_done)) is_throttled_ = is_throttled;
    if (!call.is_probe) return;
    is_probing_ = call.is_probe = false;
    std::deque<std::shared_ptr<Call>> behind = std::exchange(behind_probe_, {});
    if (is_throttled) {
        const auto changes = std::ranges::stable_partition(
            waiting_, [](const auto& waiting) { return !is_change(waiting->hook); });
        behind.insert(behind.end(), changes.begin(), changes.end());
        waiting_.erase(changes.begin(), changes.end());
    }
    if (is_throttled && !call.is_second_probe && !behind.empty())
        return send_second_probe(std::move(behind));
    for (const std::shared_ptr<Call>& other : behind)
        is_throttled ? give_up(*other, {ErrorCode::cancelled, "the cloud throttles requests"})
                     : begin(other);
}

/// The cloud may throttle only what the first probe asked for. Each time another change is chosen,
/// so none is held back for ever by others that are always throttled.
void CloudClient::send_second_probe(std::deque<std::shared_ptr<Call>> others) {
    CAPSTAN_ASSERT(!others.empty(), "there is no change to probe with");
    const auto chosen =
        others.begin() + static_cast<std::ptrdiff_t>(second_probes_++ % others.size());
    std::shared_ptr<Call> probe = std::move(*chosen);
    others.erase(chosen);
    behind_probe_ = std::move(others);
    is_probing_ = probe->is_probe = probe->is_second_probe = true;
    begin(probe);
}

void CloudClient::hand_over(const std::shared_ptr<Call>& call, capstan_op op) {
    services::HostContext& context = instance_->context();
    context.strand().dispatch(
        [self = shared_from_this(), call, op, since = context.clock().monotonic()] {
            self->call_plugin(call, op, since);
        });
}

void CloudClient::call_plugin(const std::shared_ptr<Call>& call, capstan_op op, Duration since) {
    services::HostContext& context = instance_->context();
    const bool is_stale = context.clock().monotonic() - since > gate_age_max;
    if (is_stale && is_change(call->hook) && gate_ && !context.operations().is_cancelled(op)) {
        return context.strand().post_to_host(
            [self = shared_from_this(), call, op] { self->ask_again(call, op); });
    }
    call_for_operation(context, op, call->hook, [&] {
        call->is_asked = true;
        return call->start(op);
    });
}

void CloudClient::ask_again(const std::shared_ptr<Call>& call, capstan_op op) {
    const Result<void> may = ask_gate(call->hook);
    if (may) return hand_over(call, op);
    instance_->context().operations().end(op, may.error());
}

void CloudClient::ended() {
    CAPSTAN_ASSERT(under_way_ > 0, "more calls end than begin");
    --under_way_;
    if (waiting_.empty()) return;
    const std::shared_ptr<Call> next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(next);
    // Waiting calls are begun by the end of a call. Where the next one could not begin and none is
    // under way, nothing would begin the others.
    while (under_way_ == 0 && !waiting_.empty()) {
        const std::shared_ptr<Call> other = std::move(waiting_.front());
        waiting_.pop_front();
        begin(other);
    }
}

// The optional interfaces of a cloud that decisions call: prices, planned groups, options.

Result<Price> ask_price(const std::shared_ptr<PluginInstance>& cloud, const NodeGroup& group,
                        const NodeTemplate& node, const PassCall& pass_call, PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                find_companion<capstan_cloud_pricing>(cloud, CAPSTAN_INTERFACE_PRICING, watch));
    AbiArena arena;
    const capstan_group raw_group = arena.to_abi(group);
    const capstan_template raw_node = arena.to_abi(node);
    capstan_price price{};
    price.struct_size = sizeof price;
    CAPSTAN_CHECK(
        call_hook(*cloud, loop::Hook::price, pass_call, watch, [&](const capstan_call* call) {
            return loop::distrusted(table->price)(table->self, call, &raw_group, &raw_node, &price);
        }));
    Result<Price> out = price_from_abi(price);
    if (!out)
        return contract_breach(*cloud, loop::Hook::price,
                               "returned a price whose " + out.error().message);
    return out;
}

Result<GroupOptions> ask_options(const std::shared_ptr<PluginInstance>& cloud,
                                 const NodeGroup& group, const PassCall& pass_call,
                                 PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table,
                find_companion<capstan_cloud_options>(cloud, CAPSTAN_INTERFACE_OPTIONS, watch));
    AbiArena arena;
    const capstan_group crossing = arena.to_abi(group);
    capstan_group_options raw{};
    raw.struct_size = sizeof raw;
    CAPSTAN_CHECK(
        call_hook(*cloud, loop::Hook::options, pass_call, watch, [&](const capstan_call* call) {
            return loop::distrusted(table->get)(table->self, call, &crossing, &raw);
        }));
    Result<GroupOptions> out = group_options_from_abi(raw);
    if (!out)
        return contract_breach(*cloud, loop::Hook::options,
                               "returned options whose " + out.error().message);
    return out;
}

// Planned groups, of the optional interface that creates and deletes groups.

namespace {

/// Takes the plugin's one answer, and copies it inside the call.
class NewGroupSink {
public:
    NewGroupSink() {
        raw_ = {sizeof raw_, 0, this,
                [](const capstan_new_group_response* out, const capstan_group* group,
                   const capstan_template* node) noexcept {
                    static_cast<NewGroupSink*>(out->ctx)->take(group, node);
                }};
    }
    NewGroupSink(const NewGroupSink&) = delete;
    NewGroupSink& operator=(const NewGroupSink&) = delete;

    const capstan_new_group_response* raw() const noexcept { return &raw_; }
    /// The answer of the plugin, or why it is invalid.
    Result<PlannedGroup> answer() && {
        if (answers_ != 1)
            return fail(ErrorCode::internal,
                        "returned " + std::to_string(answers_) + " groups, expected 1");
        return std::move(planned_);
    }

private:
    void take(const capstan_group* group, const capstan_template* node) noexcept {
        const loop::PluginTime::Paused copying;
        try {
            if (++answers_ == 1) planned_ = from_abi(group, node);
        } catch (...) {
            answers_ = 0;
        }
    }
    static Result<PlannedGroup> from_abi(const capstan_group* group, const capstan_template* node) {
        if (group == nullptr || node == nullptr)
            return fail(ErrorCode::internal, "returned a NULL group or template");
        PlannedGroup out;
        CAPSTAN_TRY(out.group, group_from_abi(*group));
        CAPSTAN_TRY(out.node, template_from_abi(*node));
        return out;
    }

    capstan_new_group_response raw_{};
    int answers_ = 0;
    Result<PlannedGroup> planned_{PlannedGroup()};
};

}  // namespace

Result<PlannedGroup> ask_new_group(const std::shared_ptr<PluginInstance>& cloud,
                                   const GroupPlan& plan, const PassCall& pass_call,
                                   PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table, find_companion<capstan_cloud_autoprovision>(
                                             cloud, CAPSTAN_INTERFACE_AUTOPROVISION, watch));
    ProvisioningAbiArena arena;
    const capstan_group_plan crossing = arena.to_abi(plan);
    NewGroupSink sink;
    CAPSTAN_CHECK(
        call_hook(*cloud, loop::Hook::new_group, pass_call, watch, [&](const capstan_call* call) {
            return loop::distrusted(table->new_group)(table->self, call, &crossing, sink.raw());
        }));
    Result<PlannedGroup> planned = std::move(sink).answer();
    if (!planned) return contract_breach(*cloud, loop::Hook::new_group, planned.error().message);
    return planned;
}

}  // namespace capstan::plugin_runtime::instances
