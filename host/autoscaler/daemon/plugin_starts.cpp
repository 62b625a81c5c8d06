#include "autoscaler/daemon/plugin_starts.hpp"

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

#include "config/settings_view.hpp"
#include "engine/health/reactions.hpp"
#include "kubernetes/client/watch_backoff.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr Duration pause_min = std::chrono::seconds(5);
constexpr Duration pause_max = std::chrono::minutes(5);
/// For an instance that could not be started.
constexpr Duration candidate_stop_timeout = std::chrono::seconds(10);
/// For an instance that is still starting when this host stops.
constexpr Duration last_stop_timeout = std::chrono::seconds(3);
/// A call that takes so long is logged.
constexpr Duration slow_call_min = std::chrono::seconds(5);
/// Between two log lines about a call that does not end.
constexpr Duration repeat_interval = std::chrono::minutes(5);
/// From the deadline of a start to the answer, which the end of its operation gives.
constexpr Duration answer_slack = std::chrono::seconds(2);

/// Whether a retry may succeed without another file or configuration.
bool may_mend(ErrorCode code) {
    return engine::health::reaction_to(engine::health::Call::start, code) ==
           engine::health::Reaction::restart_later;
}

Duration pause_after(int failures) {
    Duration pause = pause_min;
    for (int i = 1; i < failures && pause < pause_max; ++i) pause *= 2;
    return std::min(pause, pause_max);
}

std::string_view call_of(PluginStart::Phase phase) {
    return phase == PluginStart::Phase::creating ? "create" : "start";
}

/// The message without the name of the plugin, which the log line has already.
std::string without_name(const std::string& id, const std::string& message) {
    const std::string name = "plugin " + id + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
}

}  // namespace

std::string sentence_of(const PluginStart& start, Duration now) {
    const std::string& id = start.identity.id.value();
    const std::string name = "plugin " + id + ": ";
    const std::string error = start.error ? without_name(id, start.error->message) : std::string();
    switch (start.phase) {
        case PluginStart::Phase::queued: return name + "waiting to be created";
        case PluginStart::Phase::creating:
        case PluginStart::Phase::starting:
            return name + std::string(call_of(start.phase)) + " has been running for " +
                   format_rough_duration(now - start.since);
        case PluginStart::Phase::running: return {};
        case PluginStart::Phase::stopping: return name + error + "; stopping it";
        case PluginStart::Phase::waiting:
            return name + error + "; retry in " +
                   format_rough_duration(std::max(start.next.value_or(now) - now, Duration(0)));
        case PluginStart::Phase::disabled: return name + error + "; disabled until restart";
    }
    return {};
}

struct PluginStarts::Slot {
    const LoadedPlugin* plugin;
    prometheus::Gauge* running;
    PluginStart state{};
    std::uint64_t generation = 0;
    std::shared_ptr<plugin_runtime::services::HostContext> context{};  ///< while it is created
    std::shared_ptr<plugin_runtime::instances::PluginInstance>
        candidate{};  ///< from created to running or stopped
    std::optional<io::TimerId> timer{};
    bool is_detached = false;  ///< see detach()
    std::uint64_t turn = 0;    ///< of the timer: one that is about to fire cannot be cancelled

    /// Of the last try.
    Error& failure() {
        CAPSTAN_ASSERT(state.error, "a call that has not failed is repeated or given up");
        return *state.error;
    }
};

/// Posts functions of other threads to the loop, until PluginStarts is destroyed.
struct PluginStarts::Mailbox {
    explicit Mailbox(boost::asio::io_context& of) : io(&of) {}
    std::mutex mutex;
    boost::asio::io_context* io;  ///< NULL: functions are dropped

    void post(std::function<void()> function) {
        const std::lock_guard lock(mutex);
        if (io != nullptr) boost::asio::post(*io, std::move(function));
    }
};

/// One call of create. Owns all that the call uses, which may go on after everything else has
/// ended.
struct PluginStarts::Creation {
    std::shared_ptr<const LoadedConfig> config;
    const LoadedPlugin* plugin;
    std::shared_ptr<plugin_runtime::services::HostContext> context;

    Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> run() const {
        config::SettingsView settings(plugin->settings, config::settings_path(plugin->config),
                                      nullptr);
        return plugin_runtime::instances::PluginInstance::create(context, instance_spec(*plugin),
                                                                 *settings.abi());
    }
};

PluginStarts::PluginStarts(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                           Options options)
    : config_(std::move(config)),
      host_(host),
      options_(std::move(options)),
      random_(io::seed_for(options_.seed, "plugin starts")),
      mailbox_(std::make_shared<Mailbox>(host.loop().io())) {
    for (const LoadedPlugin& plugin : config_->plugins) {
        prometheus::Gauge& running =
            host.metrics().running.Add({{"plugin", plugin.config.id.value()}});
        running.Set(0);
        slots_.push_back({.plugin = &plugin, .running = &running});
        slots_.back().state.identity = instance_spec(plugin).identity;
        slots_.back().state.kind = plugin.plugin_class.kind;
    }
}

PluginStarts::~PluginStarts() {
    for (Slot& slot : slots_) cancel_timer(slot);
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->io = nullptr;
}

void PluginStarts::begin() {
    for (Slot& slot : slots_) enter(slot, Phase::queued);
    advance();
}

/// Whether a create of the same file is under way: instances of one file are created one at a time.
bool PluginStarts::waits_for_its_file(const Slot& slot) const {
    return std::ranges::any_of(slots_, [&](const Slot& other) {
        return other.state.phase == Phase::creating &&
               other.plugin->library == slot.plugin->library;
    });
}

void PluginStarts::advance() {
    if (is_stopping_) return;
    const bool is_busy = std::ranges::any_of(slots_, [](const Slot& slot) {
        return slot.state.phase == Phase::creating && !slot.state.is_overdue;
    });
    if (is_busy) return;
    const auto next = std::ranges::find_if(slots_, [this](const Slot& slot) {
        return slot.state.phase == Phase::queued && !waits_for_its_file(slot);
    });
    if (next != slots_.end()) create(*next);
}

void PluginStarts::create(Slot& slot) {
    enter(slot, Phase::creating);
    plugin_runtime::services::InstanceIdentity identity = slot.state.identity;
    identity.generation = ++slot.generation;
    slot.context =
        plugin_runtime::services::HostContext::make(host_.environment(), std::move(identity));
    watch(slot, "create", options_.create_limit);
    const auto creation = std::make_shared<Creation>(Creation{config_, slot.plugin, slot.context});
    const auto work = [mailbox = mailbox_, weak = weak_from_this(), creation, at = index_of(slot)] {
        auto made = creation->run();
        mailbox->post([weak, at, made = std::move(made)] {
            if (const auto self = weak.lock()) self->on_created(at, made);
        });
    };
    if (host_.virtual_loop() != nullptr) return boost::asio::post(host_.loop().io(), work);
    try {
        std::thread(work).detach();
    } catch (const std::system_error& error) {
        on_created(index_of(slot),
                   fail(ErrorCode::unavailable,
                        std::string("create: cannot start a thread: ") + error.what()));
    }
}

void PluginStarts::on_created(
    std::size_t at, Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> made) {
    Slot& slot = slots_[at];
    if (is_stopping_) return;
    slot.context = nullptr;
    if (slot.is_detached) {
        if (made)
            (*made)->stop(candidate_stop_timeout, [](const Result<void>&) {}, StopReason::removed);
        return;
    }
    if (slot.state.is_overdue)
        log(config::LogLevel::warn, slot,
            "create has returned after " + format_rough_duration(now() - slot.state.since));
    if (made) {
        start(slot, *std::move(made));
    } else {
        on_failed(slot, made.error());
    }
    advance();
}

void PluginStarts::start(Slot& slot,
                         std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) {
    slot.candidate = std::move(instance);
    enter(slot, Phase::starting);
    watch(slot, "start", options_.start_limit + answer_slack);
    slot.candidate->start(
        options_.start_limit,
        [mailbox = mailbox_, weak = weak_from_this(), at = index_of(slot)](Result<void> result) {
            mailbox->post([weak, at, result = std::move(result)] {
                if (const auto self = weak.lock()) self->on_started(at, result);
            });
        },
        slot.state.failures > 0 ? StartReason::retry : StartReason::cold);
}

void PluginStarts::on_started(std::size_t at, const Result<void>& result) {
    Slot& slot = slots_[at];
    if (slot.state.phase != Phase::starting) return;
    if (!result) return on_failed(slot, result.error());
    const bool was_delayed = slot.state.failures > 0 || slot.state.is_overdue;
    enter(slot, Phase::running);
    slot.running->Set(1);
    if (was_delayed) log(config::LogLevel::info, slot, "started");
    host_.add(slot.candidate);
    started_.push_back(std::exchange(slot.candidate, nullptr));
    notify_changed();
}

void PluginStarts::on_failed(Slot& slot, const Error& error) {
    slot.state.error = error;
    ++slot.state.failures;
    if (slot.candidate) {
        stop_candidate(slot, candidate_stop_timeout);
    } else {
        retry_or_disable(slot);
    }
    notify_changed();
}

void PluginStarts::stop_candidate(Slot& slot, Duration timeout) {
    enter(slot, Phase::stopping);
    slot.candidate->stop(
        timeout,
        [mailbox = mailbox_, weak = weak_from_this(), at = index_of(slot)](Result<void> result) {
            mailbox->post([weak, at, result = std::move(result)] {
                if (const auto self = weak.lock()) self->on_stopped(at, result);
            });
        },
        is_stopping_       ? StopReason::shutdown
        : slot.is_detached ? StopReason::removed
                           : StopReason::failed);
}

void PluginStarts::on_stopped(std::size_t at, const Result<void>& result) {
    Slot& slot = slots_[at];
    slot.candidate = nullptr;
    if (is_stopping_ || slot.is_detached) {
        enter(slot, Phase::disabled);
        if (is_stopping_) end_stop();
        return;
    }
    // A thread or an operation of the instance has not ended: a retry would run next to it.
    if (!result && result.error().code == ErrorCode::deadline) {
        Error& error = slot.failure();
        error = within("start failed, and the plugin cannot be stopped", error);
        error.code = ErrorCode::internal;
    }
    retry_or_disable(slot);
    notify_changed();
}

/// Nothing is left of the last try.
void PluginStarts::retry_or_disable(Slot& slot) {
    const Error& error = slot.failure();
    if (may_mend(error.code)) {
        schedule_retry(slot);
        return log(config::LogLevel::warn, slot, sentence_of(slot.state, now()));
    }
    if (error.code == ErrorCode::invalid_config && slot.state.failures == 1 && refusal_)
        refusal_ = fail(error);
    enter(slot, Phase::disabled);
    log(config::LogLevel::error, slot, sentence_of(slot.state, now()));
}

void PluginStarts::schedule_retry(Slot& slot) {
    const Duration least = std::max(pause_after(slot.state.failures),
                                    slot.failure().retry_after.value_or(Duration::zero()));
    const Duration pause = kubernetes::client::with_jitter(random_, least, least / 4);
    enter(slot, Phase::waiting);
    slot.state.next = now() + pause;
    set_timer(slot, pause, [this, at = index_of(slot)] {
        enter(slots_[at], Phase::queued);
        advance();
    });
}

/// Logs the call while it lasts.
void PluginStarts::watch(Slot& slot, std::string_view call, Duration limit) {
    set_timer(slot, std::min(slow_call_min, limit),
              [this, at = index_of(slot), call, limit] { call_is_late(at, call, limit); });
}

void PluginStarts::call_is_late(std::size_t at, std::string_view call, Duration limit) {
    Slot& slot = slots_[at];
    const Duration so_far = now() - slot.state.since;
    const bool is_news = so_far >= limit && !slot.state.is_overdue;
    slot.state.is_overdue = so_far >= limit;
    log(slot.state.is_overdue ? config::LogLevel::error : config::LogLevel::warn, slot,
        std::string(call) + " has been running for " + format_rough_duration(so_far) +
            (slot.state.is_overdue ? "; the other plugins start without it" : ""));
    set_timer(slot, slot.state.is_overdue ? repeat_interval : limit - so_far,
              [this, at, call, limit] { call_is_late(at, call, limit); });
    if (!is_news) return;
    notify_changed();
    advance();
}

void PluginStarts::enter(Slot& slot, Phase phase) {
    cancel_timer(slot);
    slot.state.phase = phase;
    slot.state.since = now();
    slot.state.is_overdue = false;
    slot.state.next.reset();
}

void PluginStarts::set_timer(Slot& slot, Duration delay, std::function<void()> then) {
    slot.timer = host_.loop().after(delay, [weak = weak_from_this(), at = index_of(slot),
                                            turn = ++slot.turn, then = std::move(then)] {
        const auto self = weak.lock();
        if (!self || self->slots_[at].turn != turn) return;
        self->slots_[at].timer.reset();
        then();
    });
}

void PluginStarts::cancel_timer(Slot& slot) {
    if (slot.timer) host_.loop().cancel(*slot.timer);
    slot.timer.reset();
    ++slot.turn;
}

void PluginStarts::log(config::LogLevel level, const Slot& slot, const std::string& what) {
    const std::string& id = slot.state.identity.id.value();
    host_.log().write(level, id, without_name(id, what));
}

void PluginStarts::notify_changed() {
    if (options_.on_change && !is_stopping_) options_.on_change();
}

std::size_t PluginStarts::index_of(const Slot& slot) const {
    return static_cast<std::size_t>(&slot - slots_.data());
}

std::vector<PluginStart> PluginStarts::starts() const {
    std::vector<PluginStart> out;
    for (const Slot& slot : slots_)
        if (!slot.is_detached) out.push_back(slot.state);
    return out;
}

bool PluginStarts::has_settled() const {
    return std::ranges::all_of(slots_, [this](const Slot& slot) {
        const PluginStart& state = slot.state;
        return slot.is_detached || state.phase == Phase::running || state.failures > 0 ||
               state.is_overdue || (state.phase == Phase::queued && waits_for_its_file(slot));
    });
}

std::string PluginStarts::unready_because(const std::vector<PluginInstanceId>& clouds) const {
    const bool has_settled = this->has_settled();
    const auto is_cloud = [&](const Slot& slot) {
        return std::ranges::find(clouds, slot.state.identity.id) != clouds.end();
    };
    if (has_settled && (clouds.empty() || std::ranges::any_of(slots_, [&](const Slot& slot) {
                            return is_cloud(slot) && slot.state.phase == Phase::running;
                        })))
        return {};
    std::string out;
    for (const Slot& slot : slots_) {
        if (slot.is_detached || slot.state.phase == Phase::running ||
            (has_settled && !is_cloud(slot)))
            continue;
        out += (out.empty() ? "" : "\n") + sentence_of(slot.state, now());
    }
    return (has_settled ? "no cloud is running:\n" : "starting plugins:\n") + out;
}

std::string PluginStarts::absent() const {
    std::string out;
    for (const Slot& slot : slots_)
        if (!slot.is_detached && slot.state.phase != Phase::running)
            out += (out.empty() ? "" : "\n") + sentence_of(slot.state, now());
    return out;
}

std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>
PluginStarts::take_started() {
    return std::exchange(started_, {});
}

void PluginStarts::detach(const std::vector<PluginInstanceId>& ids) {
    for (Slot& slot : slots_) {
        if (std::ranges::find(ids, slot.state.identity.id) == ids.end() || slot.is_detached)
            continue;
        slot.is_detached = true;
        if (slot.context) {
            slot.context->close();
            slot.context->abandon();
        }
        if (slot.state.phase == Phase::starting) {
            stop_candidate(slot, candidate_stop_timeout);
        } else if (slot.state.phase != Phase::running && slot.state.phase != Phase::stopping) {
            enter(slot, Phase::disabled);
        }
    }
    advance();
}

void PluginStarts::stop(std::function<void()> done) {
    is_stopping_ = true;
    on_stopped_ = std::move(done);
    for (Slot& slot : slots_) {
        cancel_timer(slot);
        if (slot.context) {
            slot.context->close();
            slot.context->abandon();
        }
        if (slot.state.phase == Phase::starting) stop_candidate(slot, last_stop_timeout);
    }
    end_stop();
}

void PluginStarts::end_stop() {
    const bool is_open = std::ranges::any_of(
        slots_, [](const Slot& slot) { return slot.state.phase == Phase::stopping; });
    if (is_open || !on_stopped_) return;
    std::exchange(on_stopped_, nullptr)();
}

namespace {

/// The instances that are granted state, by name, whether they run or not.
std::map<std::string, PluginInstanceId> instances_with_state(const PluginHost& host) {
    std::map<std::string, PluginInstanceId> out;
    for (const plugin_runtime::services::InstanceIdentity& identity : host.identities())
        if (identity.grants.state) out.emplace(identity.id.value(), identity.id);
    return out;
}

}  // namespace

SharedStates share_states(PluginHost& host, const std::string& name, std::size_t room) {
    SharedStates out;
    for (const auto& [instance, id] : instances_with_state(host)) {
        Result<std::string> text = host.state().share(id, name);
        if (text && out.bytes + text->size() > room)
            text = fail(ErrorCode::quota, "its state does not fit into the memory ConfigMap");
        if (!text) out.error = within("plugin " + instance, text.error());
        if (!text || text->empty()) continue;
        out.bytes += text->size();
        out.texts.emplace(instance, *std::move(text));
    }
    return out;
}

void take_over_states(PluginHost& host, const std::map<std::string, std::string>& shared) {
    for (const auto& [instance, id] : instances_with_state(host)) {
        const auto text = shared.find(instance);
        if (text == shared.end()) continue;
        const Result<bool> taken = host.state().take_over(id, text->second);
        if (!taken) {
            host.log().write(config::LogLevel::error, instance, taken.error().message);
        } else if (*taken) {
            host.log().write(config::LogLevel::info, instance,
                             "state of the previous leader loaded");
        }
    }
}

}  // namespace capstan::autoscaler::daemon
