// PluginInstance::stop, and what happens to an instance that cannot be stopped.
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin_runtime/instances/instance.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

/// More than an operation's grace, so that a stop operation that is closed by its deadline is
/// reported as such.
constexpr Duration stop_grace = std::chrono::seconds(6);

/// Keeps an instance in memory to the end of the process, because a thread may still be running in
/// it.
void keep_for_ever(std::shared_ptr<services::HostContext> context,
                   std::shared_ptr<const void> library, const capstan_instance* instance) {
    struct Kept {
        std::shared_ptr<services::HostContext> context;
        std::shared_ptr<const void> library;
        const capstan_instance* instance;
    };
    static std::mutex mutex;
    static auto* const all = new std::vector<Kept>;  // not destroyed at exit: see above
    const std::lock_guard lock(mutex);
    all->push_back({std::move(context), std::move(library), instance});
}

}  // namespace

PluginInstance::~PluginInstance() {
    if (instance_ == nullptr) return;
    // No thread runs in an instance that was never started, unless its plugin has posted functions.
    const bool is_idle = context_->tasks().open_count() == 0;
    if (state_.load() == State::created && is_idle) {
        destroy();
    } else {
        retain();
    }
}

void PluginInstance::stop(Duration timeout, Done done, StopReason reason) {
    const State before = state_.exchange(State::stopping);
    if (before == State::stopping || before == State::stopped || before == State::stuck) {
        context_->strand().post_to_host([self = shared_from_this(), done = std::move(done)] {
            done(fail(ErrorCode::internal, "plugin " + self->id() + ": already stopped"));
        });
        return;
    }
    stop_done_ = std::move(done);
    const auto self = shared_from_this();
    // A hook that overran its deadline, or a thread that is stuck, will hardly return: it gets no
    // grace beyond `timeout`.
    const bool is_lost = has_abandoned_calls() || context_->strand().stuck();
    const Duration patience = is_lost ? timeout : timeout + stop_grace;
    // Not on the strand, which a plugin may have blocked.
    stop_timer_ = context_->loop().after(patience, [self] {
        self->end_stop(
            State::stuck,
            fail(ErrorCode::deadline, "plugin " + self->id() + ": stop: " + self->unfinished()));
    });
    const bool ask_plugin = before == State::running;
    gate_.close([self, ask_plugin, timeout, reason] {
        self->context_->strand().post([=] { self->begin_stop(ask_plugin, timeout, reason); });
    });
}

/// [strand] No hook is under way and none will be.
void PluginInstance::begin_stop(bool ask_plugin, Duration timeout, StopReason reason) {
    context_->close();
    if (ask_plugin && CAPSTAN_HAS(instance_, capstan_instance, stop)) {
        stop_op_ = ask_to_stop(timeout, reason, [self = shared_from_this()](Result<void> result) {
            self->stop_has_answered(std::move(result));
        });
    } else {
        stop_result_.emplace();
    }
    context_->cancel_open(stop_op_);
    // Cancelled callbacks may have ended the operations that they worked for; all others are closed
    // now.
    context_->tasks().when_empty([self = shared_from_this()] {
        self->context_->operations().close_all(self->stop_op_,
                                               {ErrorCode::cancelled, "the plugin is stopping"});
        self->nothing_is_open_ = true;
        self->go_on_stopping();
    });
}

/// [host's side, or strand]
void PluginInstance::stop_has_answered(Result<void> result) {
    // The strand's thread may never return, so the stop does not wait for it.
    if (!result && result.error().code == ErrorCode::deadline && context_->strand().has_thread())
        return end_stop(State::stuck, std::move(result));
    context_->strand().dispatch([self = shared_from_this(), result = std::move(result)] {
        self->stop_result_ = result;
        self->go_on_stopping();
    });
}

/// Destroys the instance once its stop has ended and no callback or operation is open. [strand]
void PluginInstance::go_on_stopping() {
    if (!stop_result_ || !nothing_is_open_) return;
    if (!*stop_result_ && stop_result_->error().code == ErrorCode::deadline) {
        return end_stop(State::stuck, *stop_result_);
    }
    // After the callbacks of the operations that were just closed.
    context_->strand().post([self = shared_from_this()] {
        self->destroy();
        self->end_stop(State::stopped, *self->stop_result_);
    });
}

std::string PluginInstance::unfinished() const {
    const auto held = context_->strand().calls().held(Duration::zero());
    return std::to_string(gate_.inside()) + " hooks, " +
           std::to_string(context_->tasks().open_count()) + " tasks and " +
           std::to_string(context_->operations().open_count()) + " operations did not end in time" +
           (held ? "; " + held->sentence() : "");
}

void PluginInstance::end_stop(State state, Result<void> result) {
    if (stop_has_ended_.exchange(true)) return;
    state_.store(state);
    context_->loop().cancel(stop_timer_);
    if (!result) context_->say(config::LogLevel::error, result.error().message);
    context_->strand().dispatch_to_host(
        [done = std::exchange(stop_done_, nullptr), result = std::move(result)] { done(result); });
    if (state == State::stuck) context_->abandon();
}

void PluginInstance::destroy() {
    const capstan_instance* const going = std::exchange(instance_, nullptr);
    std::ignore = context_->calls().call_on_strand(
        loop::Hook::destroy, [&] { loop::distrusted(going->destroy)(going->self); });
    context_->retire();
}

void PluginInstance::retain() {
    context_->say(config::LogLevel::warn,
                  "could not be stopped: it stays in memory with its library");
    context_->abandon();
    keep_for_ever(context_, library_, instance_);
}

}  // namespace capstan::plugin_runtime::instances
