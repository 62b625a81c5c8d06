#include "plugin_runtime/instances/controller_client.hpp"

#include <algorithm>
#include <any>
#include <utility>

#include "plugin_runtime/instances/operation_call.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

constexpr Duration call_deadline_default = std::chrono::minutes(1);
/// Without a request and without a date.
constexpr Duration longest_pause = std::chrono::minutes(10);
constexpr Duration first_pause = std::chrono::seconds(1);
constexpr Duration longest_failing_pause = std::chrono::minutes(1);
/// A controller that wants to be called for ever leaves others room.
constexpr Duration shortest_pause = std::chrono::milliseconds(10);

/// The request. It lives until its operation has ended.
std::shared_ptr<const capstan_reconcile> question(bool is_first) {
    return std::make_shared<const capstan_reconcile>(
        capstan_reconcile{sizeof(capstan_reconcile), is_first ? 1 : 0});
}

Result<std::any> result_from_abi(const void* raw) {
    CAPSTAN_TRY(Reconciled out, reconciled_from_abi(*static_cast<const capstan_reconciled*>(raw)));
    return std::any(std::move(out));
}

}  // namespace

Result<std::shared_ptr<ControllerClient>> ControllerClient::of(
    std::shared_ptr<PluginInstance> instance, OnEnd on_end) {
    CAPSTAN_TRY(const capstan_controller* const controller,
                instance->interface<capstan_controller>(CAPSTAN_KIND_CONTROLLER));
    if (controller == nullptr)
        return fail(ErrorCode::internal,
                    "plugin " + instance->id() + " is not a " CAPSTAN_KIND_CONTROLLER);
    std::shared_ptr<ControllerClient> out(
        new ControllerClient(std::move(instance), *controller, std::move(on_end)));
    out->instance_->context().reconcile_requests().listen([weak = std::weak_ptr(out)](
                                                              Duration within) {
        const auto self = weak.lock();
        if (!self) return;
        self->instance_->context().strand().post_to_host([self, within] { self->want(within); });
    });
    return out;
}

ControllerClient::ControllerClient(std::shared_ptr<PluginInstance> instance,
                                   const capstan_controller& controller, OnEnd on_end)
    : instance_(std::move(instance)), controller_(controller), on_end_(std::move(on_end)) {}

ControllerClient::~ControllerClient() {
    instance_->context().reconcile_requests().listen({});
    if (timer_ != 0) instance_->context().loop().cancel(timer_);
}

void ControllerClient::lead(bool leads) {
    instance_->context().strand().post_to_host([self = shared_from_this(), leads] {
        if (leads != self->is_leading_) leads ? self->begin_leading() : self->stop_leading();
    });
}

ControllerStatus ControllerClient::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void ControllerClient::begin_leading() {
    is_leading_ = is_first_ = true;
    failures_ = 0;
    {
        const std::lock_guard lock(mutex_);
        status_.is_leading = true;
    }
    want(Duration::zero());
}

void ControllerClient::stop_leading() {
    is_leading_ = false;
    due_.reset();
    set_timer();
    {
        const std::lock_guard lock(mutex_);
        status_.is_leading = false;
    }
    if (is_under_way_) instance_->context().operations().cancel(op_);
}

/// A request during a reconcile is kept; the end of the reconcile sets the timer.
void ControllerClient::want(Duration within) {
    if (!is_leading_) return;
    const Duration at = now() + within;
    if (due_ && *due_ <= at) return;
    due_ = at;
    if (!is_under_way_) set_timer();
}

void ControllerClient::set_timer() {
    io::Loop& loop = instance_->context().loop();
    if (timer_ != 0) loop.cancel(std::exchange(timer_, 0));
    if (!due_) return;
    timer_ = loop.at(*due_, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->instance_->context().strand().post_to_host([self] { self->call(); });
    });
}

void ControllerClient::call() {
    // The timer may have fired while it was being cancelled.
    const bool is_due = due_ && *due_ <= now();
    if (!is_due || is_under_way_ || !is_leading_ || !instance_->is_running()) return;
    due_.reset();
    services::HostContext& context = instance_->context();
    const Duration began = now();
    const std::string name = "plugin " + instance_->id() + ": reconcile";
    if (const Result<void> askable = check_askable(*instance_); !askable)
        return ended(began, fail(within(name, askable.error())));
    const auto what = question(std::exchange(is_first_, false));
    services::Operation operation{
        .what = name,
        .result_type = CAPSTAN_RESULT_RECONCILED,
        .deadline = began + context.identity().limits.call_deadline.value_or(call_deadline_default),
        .reserved = true,
        .hook = loop::Hook::reconcile,
        .from_abi = &result_from_abi,
        .done = [self = shared_from_this(), what, began](Result<std::any> result) {
            if (!result) return self->ended(began, fail(std::move(result).error()));
            self->ended(began, std::any_cast<Reconciled>(*std::move(result)));
        }};
    is_under_way_ = true;
    const Result<capstan_op> op = context.operations().open(std::move(operation));
    if (!op) return ended(began, fail(op.error()));
    op_ = *op;
    context.strand().dispatch(
        [self = shared_from_this(), op = *op, what] { self->call_plugin(op, *what); });
}

void ControllerClient::call_plugin(capstan_op op, const capstan_reconcile& what) {
    call_for_operation(instance_->context(), op, loop::Hook::reconcile, [&] {
        return loop::distrusted(controller_.reconcile)(controller_.self, op, &what);
    });
}

void ControllerClient::ended(Duration began, Result<Reconciled> result) {
    is_under_way_ = false;
    op_ = 0;
    if (!result)
        instance_->context().metrics().hook_failed(loop::Hook::reconcile, result.error().code);
    {
        const std::lock_guard lock(mutex_);
        ++status_.reconciles;
        status_.failures += result ? 0 : 1;
        status_.took = now() - began;
        status_.error = result ? std::nullopt : std::optional(result.error());
        if (result) status_.last = *result;
    }
    if (on_end_) on_end_(status());
    if (is_leading_) {
        const Duration next = now() + next_after(result);
        // A request that came meanwhile does not shorten the delay after a failure.
        const Duration requested = result ? due_.value_or(next) : next;
        due_ = std::max(std::min(requested, next), now() + shortest_pause);
    }
    set_timer();
}

Duration ControllerClient::next_after(const Result<Reconciled>& result) {
    if (result) {
        failures_ = 0;
        return std::min(result->again_in.value_or(longest_pause), longest_pause);
    }
    const int doublings = std::min(failures_++, 10);
    return std::min(first_pause * (1 << doublings), longest_failing_pause);
}

}  // namespace capstan::plugin_runtime::instances
