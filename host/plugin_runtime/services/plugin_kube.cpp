#include "plugin_runtime/services/plugin_kube.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "kubernetes/client/api_status.hpp"

namespace capstan::plugin_runtime::services {
namespace {

constexpr Duration kube_timeout = std::chrono::seconds(30);

void hand_over(capstan_kube_done done, void* user,
               const Result<kubernetes::client::ApiReply>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        return loop::distrusted(done)(user, error.code, nullptr, &error);
    }
    const capstan_kube_reply reply{sizeof reply, 0, str(result->body)};
    loop::distrusted(done)(user, CAPSTAN_OK, &reply, nullptr);
}

void hand_over(capstan_kube_resolved done, void* user,
               const Result<kubernetes::client::ServedKind>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        return loop::distrusted(done)(user, error.code, nullptr, &error);
    }
    const capstan_kube_resource resource{sizeof resource,     result->has_namespace ? 1 : 0,
                                         str(result->group),  str(result->version),
                                         str(result->plural), str(result->kind)};
    loop::distrusted(done)(user, CAPSTAN_OK, &resource, nullptr);
}

}  // namespace

PluginKube::PluginKube(Options options, std::shared_ptr<KubeGateway> gateway, io::Loop& loop,
                       std::shared_ptr<OperationTable> operations,
                       std::shared_ptr<loop::PendingCallbacks> tasks)
    : options_(std::move(options)),
      gateway_(std::move(gateway)),
      loop_(loop),
      operations_(std::move(operations)),
      tasks_(std::move(tasks)) {}

void PluginKube::post(std::function<void()> on_loop) {
    boost::asio::post(loop_.io(), std::move(on_loop));
}

Result<void> PluginKube::demand_cluster() const {
    if (gateway_) return {};
    return capstan::fail(ErrorCode::unsupported, "no cluster is connected");
}

Result<void> PluginKube::demand(const config::KubeAction& action) const {
    if (config::is_granted(options_.grants, action)) return {};
    return capstan::fail(missing_grant(options_.instance, action));
}

Result<KubeCall> PluginKube::prepare(const capstan_kube_request& raw) const {
    CAPSTAN_TRY(KubeCall call, parse_kube_request(raw, options_.instance));
    CAPSTAN_CHECK(demand(call.action));
    CAPSTAN_CHECK(demand_cluster());
    CAPSTAN_TRY(const Duration left, time_left(*operations_, raw.parent, loop_.monotonic()));
    const Duration asked =
        raw.timeout_ms > 0 ? std::chrono::milliseconds(raw.timeout_ms) : kube_timeout;
    call.request.timeout = std::min(asked, left);
    call.term = raw.parent != 0 ? operations_->term_of(raw.parent).value_or(0) : gateway_->term();
    return call;
}

capstan_status PluginKube::accept(Open open, std::uint64_t& key) {
    const std::lock_guard lock(mutex_);
    if (open_.size() >= options_.max_open) return CAPSTAN_E_BUSY;
    if (const capstan_status accepted = tasks_->accept(); accepted != CAPSTAN_OK) return accepted;
    key = ++last_key_;
    open_.emplace(key, std::move(open));
    return CAPSTAN_OK;
}

capstan_status PluginKube::send(const capstan_kube_request* raw, capstan_kube_done done,
                                void* user) {
    if (done == nullptr || !CAPSTAN_REACHES(raw, capstan_kube_request, parent))
        return CAPSTAN_E_INVALID_ARGUMENT;
    Result<KubeCall> call = prepare(*raw);
    std::uint64_t key = 0;
    const auto report_error = [done, user](const Error& error) {
        hand_over(done, user, capstan::fail(error));
    };
    const capstan_status accepted = accept({raw->parent, std::nullopt, report_error}, key);
    if (accepted != CAPSTAN_OK) return accepted;
    if (!call) {
        fail(key, std::move(call.error()));
    } else {
        post([self = shared_from_this(), key, call = *std::move(call), done, user] {
            self->start(key, call, done, user);
        });
    }
    return CAPSTAN_OK;
}

void PluginKube::start(std::uint64_t key, KubeCall call, capstan_kube_done done, void* user) {
    {
        const std::lock_guard lock(mutex_);
        if (!open_.contains(key)) return;  // cancelled on its way
    }
    if (!kubernetes::client::is_question(call.request)) {
        // A write of one term must not be sent in another: another host may have led in between.
        call.request.may_send = [gateway = gateway_, term = call.term]() -> Result<void> {
            if (gateway->term() == term) return {};
            return capstan::fail(ErrorCode::cancelled,
                                 "the leadership term in which it began has ended");
        };
    }
    const Id id = gateway_->api().send(
        std::move(call.request),
        [self = shared_from_this(), key, done, user](Result<kubernetes::client::ApiReply> reply) {
            // Shared, because a std::function may be copied, and the reply may be large.
            const auto result =
                std::make_shared<const Result<kubernetes::client::ApiReply>>(std::move(reply));
            self->finish(key, [done, user, result] { hand_over(done, user, *result); });
        });
    {
        const std::lock_guard lock(mutex_);
        const auto at = open_.find(key);
        if (at != open_.end()) {
            at->second.id = id;
            return;
        }
    }
    gateway_->api().cancel(id);
}

capstan_status PluginKube::resolve(capstan_str api_version, capstan_str kind, capstan_op parent,
                                   capstan_kube_resolved done, void* user) {
    if (done == nullptr || kind.len == 0) return CAPSTAN_E_INVALID_ARGUMENT;
    std::uint64_t key = 0;
    const auto report_error = [done, user](const Error& error) {
        hand_over(done, user, capstan::fail(error));
    };
    const capstan_status accepted = accept({parent, std::nullopt, report_error}, key);
    if (accepted != CAPSTAN_OK) return accepted;
    Result<void> checked = demand_cluster();
    if (checked) {
        if (const auto left = time_left(*operations_, parent, loop_.monotonic()); !left)
            checked = capstan::fail(left.error());
    }
    if (!checked) {
        fail(key, std::move(checked.error()));
        return CAPSTAN_OK;
    }
    const kubernetes::client::KindName name{std::string(text(api_version)),
                                            std::string(text(kind))};
    post([self = shared_from_this(), key, name, done, user] {
        self->gateway_->discovery().resolve(
            name, [self, key, done, user](Result<kubernetes::client::ServedKind> result) {
                self->finish(key, [done, user, result = std::move(result)] {
                    hand_over(done, user, result);
                });
            });
    });
    return CAPSTAN_OK;
}

bool PluginKube::finish(std::uint64_t key, std::function<void()> report) {
    {
        const std::lock_guard lock(mutex_);
        if (open_.erase(key) == 0) return false;
    }
    tasks_->deliver(std::move(report));
    return true;
}

void PluginKube::fail(std::uint64_t key, Error error) {
    Open open;
    {
        const std::lock_guard lock(mutex_);
        auto found = open_.extract(key);
        if (found.empty()) return;
        open = std::move(found.mapped());
    }
    tasks_->deliver([report = std::move(open.fail), error = std::move(error)] { report(error); });
}

Result<KubeWatchTarget> PluginKube::prepare(const capstan_kube_watch& raw) const {
    CAPSTAN_TRY(KubeWatchTarget what, parse_kube_watch(raw, options_.instance));
    CAPSTAN_CHECK(demand(what.action));
    config::KubeAction watching = what.action;
    watching.verb = "watch";
    CAPSTAN_CHECK(demand(watching));
    CAPSTAN_CHECK(demand_cluster());
    return what;
}

capstan_status PluginKube::watch(const capstan_kube_watch* raw, capstan_kube_on_event on_event,
                                 void* user, std::uint64_t* id) {
    if (on_event == nullptr || id == nullptr ||
        !CAPSTAN_REACHES(raw, capstan_kube_watch, field_selector))
        return CAPSTAN_E_INVALID_ARGUMENT;
    Result<KubeWatchTarget> what = prepare(*raw);
    const KubeWatchFeed::Listener listener{on_event, user};
    std::shared_ptr<KubeWatchFeed> feed;
    const std::optional<Error> refusal = what ? std::nullopt : std::optional(what.error());
    {
        const std::lock_guard lock(mutex_);
        if (watches_.size() >= options_.max_watches) return CAPSTAN_E_BUSY;
        const capstan_status accepted = tasks_->accept();
        if (accepted != CAPSTAN_OK) return accepted;
        *id = ++last_key_;
        if (what) {
            feed = std::make_shared<KubeWatchFeed>(gateway_, loop_, tasks_, *std::move(what),
                                                   listener, options_.seed + *id);
            watches_.emplace(*id, feed);
        }
    }
    if (refusal) {
        refuse_watch(*refusal, listener);
    } else {
        feed->start();
    }
    return CAPSTAN_OK;
}

void PluginKube::refuse_watch(Error error, KubeWatchFeed::Listener listener) {
    tasks_->deliver([listener, error = std::move(error)] {
        const capstan_error raw = to_abi(error);
        const capstan_kube_event trouble{sizeof trouble, CAPSTAN_KUBE_TROUBLE, {}, &raw};
        loop::distrusted(listener.on_event)(listener.user, &trouble);
        const capstan_kube_event ended{sizeof ended, CAPSTAN_KUBE_ENDED, {}, nullptr};
        loop::distrusted(listener.on_event)(listener.user, &ended);
    });
}

capstan_status PluginKube::unwatch(std::uint64_t id) {
    std::shared_ptr<KubeWatchFeed> feed;
    {
        const std::lock_guard lock(mutex_);
        auto found = watches_.extract(id);
        if (found.empty()) return CAPSTAN_E_NOT_FOUND;
        feed = std::move(found.mapped());
    }
    feed->end();
    return CAPSTAN_OK;
}

capstan_status PluginKube::record(const capstan_kube_note* raw) {
    if (!CAPSTAN_REACHES(raw, capstan_kube_note, message)) return CAPSTAN_E_INVALID_ARGUMENT;
    Result<kubernetes::client::EventNote> note = parse_kube_note(*raw);
    if (!note) return static_cast<capstan_status>(note.error().code);
    if (!config::is_granted(options_.grants, action_of(*note))) return CAPSTAN_E_PERMISSION;
    if (!gateway_) return CAPSTAN_E_UNSUPPORTED;
    if (tasks_->is_closed()) return CAPSTAN_E_CANCELLED;
    post([gateway = gateway_, note = *std::move(note)] { gateway->events().record(note); });
    return CAPSTAN_OK;
}

void PluginKube::cancel(capstan_op parent) {
    cancel_if([parent](const Open& open) { return open.parent == parent; });
}

void PluginKube::cancel_all() {
    cancel_if([](const Open&) { return true; });
    std::map<std::uint64_t, std::shared_ptr<KubeWatchFeed>> watches;
    {
        const std::lock_guard lock(mutex_);
        watches.swap(watches_);
    }
    for (const auto& [id, feed] : watches) feed->end();
}

void PluginKube::cancel_if(const std::function<bool(const Open&)>& matches) {
    std::vector<Open> cancelled;
    {
        const std::lock_guard lock(mutex_);
        for (auto at = open_.begin(); at != open_.end();) {
            const auto each = at++;
            if (matches(each->second)) cancelled.push_back(std::move(open_.extract(each).mapped()));
        }
    }
    const Error error{ErrorCode::cancelled, "its operation has ended, or the plugin is stopping"};
    for (Open& open : cancelled) {
        if (open.id) post([gateway = gateway_, id = *open.id] { gateway->api().cancel(id); });
        tasks_->deliver([report = std::move(open.fail), error] { report(error); });
    }
}

}  // namespace capstan::plugin_runtime::services
