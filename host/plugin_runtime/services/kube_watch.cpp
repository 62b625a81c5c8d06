#include "plugin_runtime/services/kube_watch.hpp"

#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>

namespace capstan::plugin_runtime::services {
namespace {

/// The events of one turn of the strand, so that other functions get their turns.
constexpr int events_at_once = 64;
constexpr Duration busy_delay = std::chrono::milliseconds(50);

std::int32_t type_of(kubernetes::client::ObjectWatch::Change change) {
    using Change = kubernetes::client::ObjectWatch::Change;
    switch (change) {
        case Change::added: return CAPSTAN_KUBE_ADDED;
        case Change::modified: return CAPSTAN_KUBE_MODIFIED;
        case Change::deleted: return CAPSTAN_KUBE_DELETED;
        case Change::synced: break;
    }
    return CAPSTAN_KUBE_SYNCED;
}

/// Whether this event settles a startup watch: all objects are there, or an error that lasts.
bool is_settling(std::int32_t type, const std::optional<Error>& error) {
    if (!error) return type == CAPSTAN_KUBE_SYNCED;
    switch (error->code) {
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::deadline: return false;
        default: return true;
    }
}

}  // namespace

KubeWatchFeed::KubeWatchFeed(std::shared_ptr<KubeGateway> gateway, io::Loop& loop,
                             std::shared_ptr<loop::PendingCallbacks> tasks, KubeWatchTarget what,
                             Listener listener, std::uint64_t seed)
    : gateway_(std::move(gateway)),
      loop_(loop),
      tasks_(std::move(tasks)),
      what_(std::move(what)),
      listener_(listener),
      seed_(seed) {}

void KubeWatchFeed::start() {
    boost::asio::post(loop_.io(), [self = shared_from_this()] { self->open(); });
}

void KubeWatchFeed::open() {
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return;
    }
    if (gateway_->api().is_connected()) return begin();
    early_ = gateway_->early_watches().add(title_of(what_), [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->begin();
    });
    enqueue({CAPSTAN_KUBE_TROUBLE,
             {},
             within("list " + what_.path, DeferredApiClient::not_connected())});
}

void KubeWatchFeed::begin() {
    kubernetes::client::ObjectWatch::Options options{.path = what_.path,
                                                     .selectors = what_.selectors,
                                                     .api_version = what_.api_version,
                                                     .kind = what_.kind,
                                                     .purpose = "plugin",
                                                     .seed = seed_};
    // The watch belongs to this, so it does not outlive it.
    options.on_change = [this](auto change, const boost::json::object& object) {
        take(change, object);
    };
    options.on_error = [this](const Error& error) { enqueue({CAPSTAN_KUBE_TROUBLE, {}, error}); };
    watch_ = std::make_unique<kubernetes::client::ObjectWatch>(gateway_->api(), loop_, options);
    watch_->start();
}

void KubeWatchFeed::settle() {
    if (early_) gateway_->early_watches().settle(*early_);
}

void KubeWatchFeed::take(kubernetes::client::ObjectWatch::Change change,
                         const boost::json::object& object) {
    const std::int32_t type = type_of(change);
    enqueue({type, type == CAPSTAN_KUBE_SYNCED ? std::string() : boost::json::serialize(object),
             std::nullopt});
}

void KubeWatchFeed::enqueue(WatchEvent event) {
    bool is_full = false;
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return;
        queue_.push_back(std::move(event));
        is_full = queue_.size() >= what_.queue_limit;
        if (is_full) is_paused_ = true;
    }
    if (is_full && watch_) watch_->pause();
    schedule();
}

void KubeWatchFeed::schedule() {
    const std::lock_guard lock(mutex_);
    if (is_scheduled_ || has_ended_ || queue_.empty()) return;
    const capstan_status accepted = tasks_->accept();
    // Closed: the end is near.
    if (accepted == CAPSTAN_E_CANCELLED) return;
    is_scheduled_ = true;
    if (accepted == CAPSTAN_OK)
        return tasks_->deliver([self = shared_from_this()] { self->deliver(); });
    loop_.after(busy_delay, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        {
            const std::lock_guard guard(self->mutex_);
            self->is_scheduled_ = false;
        }
        self->schedule();
    });
}

void KubeWatchFeed::deliver() {
    for (int i = 0; i < events_at_once; ++i) {
        const std::optional<WatchEvent> event = next();
        if (!event) break;
        call(*event);
        if (is_settling(event->type, event->error))
            boost::asio::post(loop_.io(), [self = shared_from_this()] { self->settle(); });
    }
    bool resumes = false;
    {
        const std::lock_guard lock(mutex_);
        is_scheduled_ = false;
        resumes = !has_ended_ && queue_.empty() && std::exchange(is_paused_, false);
    }
    if (resumes) {
        boost::asio::post(loop_.io(), [self = shared_from_this()] {
            if (self->watch_) self->watch_->resume();
        });
    }
    schedule();
}

std::optional<KubeWatchFeed::WatchEvent> KubeWatchFeed::next() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return std::nullopt;
    WatchEvent event = std::move(queue_.front());
    queue_.pop_front();
    return event;
}

void KubeWatchFeed::call(const WatchEvent& queued) const {
    capstan_error error{};
    if (queued.error) error = to_abi(*queued.error);
    const capstan_kube_event event{sizeof event, queued.type, str(queued.object),
                                   queued.error ? &error : nullptr};
    // Each event is a call of its own: an exception must not keep the other events from the plugin.
    std::ignore = tasks_->calls().call(loop::Hook::callback, [&] {
        loop::distrusted(listener_.on_event)(listener_.user, &event);
    });
}

void KubeWatchFeed::end() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(has_ended_, true)) return;
        queue_.clear();
    }
    // Never inside its own callback.
    boost::asio::post(loop_.io(), [self = shared_from_this()] {
        self->watch_.reset();
        self->settle();
    });
    tasks_->deliver([self = shared_from_this()] { self->call({CAPSTAN_KUBE_ENDED, {}, {}}); });
}

}  // namespace capstan::plugin_runtime::services
