/// Access to objects of the cluster through the host, as JSON text:
///     const KubeReply node = co_await send(host, KubeRequest::get(nodes, "", "n1"));
///     const KubeResource kind = co_await resolve(host, "apps/v1", "Deployment");
///     KubeWatch watch(host, KubeSelection(pods), [this](const KubeEvent& e) { on_pod(e); });
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <capstan/kube_request.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// Shared by the awaitables of this header: a refusal, or an error of the host.
class KubeAwait {
protected:
    template <class Awaiting, class Start>
    bool suspend(std::coroutine_handle<Awaiting> awaiting, Start start) {
        waiting_ = awaiting;
        capstan_op parent = 0;
        if constexpr (std::is_base_of_v<PromiseBase, Awaiting>) parent = awaiting.promise().op;
        const capstan_status accepted = start(parent);
        if (accepted == CAPSTAN_OK) return true;
        error_ = Error{error_code(accepted), "cluster request: refused by the host"};
        return false;
    }
    void demand() {
        if (error_) throw Failure(std::move(*error_));
    }
    void fail_with(capstan_status status, const capstan_error* error) {
        error_ = error != nullptr ? from_abi(*error)
                                  : Error{error_code(status), "cluster request: empty reply"};
    }
    template <class Keep>
    void finish(Keep keep) noexcept {
        try {
            keep();
        } catch (...) {
            error_ = Error{ErrorCode::internal, {}};
        }
        waiting_.resume();
    }

private:
    std::optional<Error> error_;
    std::coroutine_handle<> waiting_;
};

}  // namespace detail

/// The awaitable behind `send`: returns a reply, or throws a Failure with a code of
/// abi/service_kube.h.
class SendKube : private detail::KubeAwait {
public:
    SendKube(const Host& host, KubeRequest request) : host_(host), request_(std::move(request)) {}

    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) {
        return suspend(awaiting, [this](capstan_op parent) { return start(parent); });
    }
    KubeReply await_resume() {
        demand();
        return std::move(reply_);
    }

private:
    capstan_status start(capstan_op parent) {
        const auto* kube = host_.service<capstan_kube>(CAPSTAN_SERVICE_KUBE);
        if (!CAPSTAN_HAS(kube, capstan_kube, send)) return CAPSTAN_E_PERMISSION;
        const KubeRequest& r = request_;
        const capstan_kube_resource resource = to_abi(r.resource);
        capstan_kube_request raw{};
        raw.struct_size = sizeof raw;
        raw.verb = static_cast<std::int32_t>(r.verb);
        raw.present = r.grace_seconds ? CAPSTAN_KUBE_HAS_GRACE : 0;
        raw.resource = &resource;
        raw.ns = str(r.ns);
        raw.name = str(r.name);
        raw.subresource = str(r.subresource);
        raw.body = str(r.body);
        raw.patch_type = static_cast<std::int32_t>(r.patch_type);
        raw.dry_run = r.dry_run ? 1 : 0;
        raw.field_manager = str(r.field_manager);
        raw.label_selector = str(r.label_selector);
        raw.field_selector = str(r.field_selector);
        raw.limit = r.limit;
        raw.continue_token = str(r.continue_token);
        raw.resource_version = str(r.resource_version);
        raw.uid = str(r.uid);
        raw.grace_seconds = r.grace_seconds.value_or(0);
        raw.propagation = static_cast<std::int32_t>(r.propagation);
        // 0 would mean the host's default.
        raw.timeout_ms = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(r.timeout).count(), 1,
            std::numeric_limits<std::int32_t>::max()));
        raw.max_reply_bytes = r.max_reply_bytes;
        raw.parent = parent;
        return kube->send(host_.raw(), &raw, &SendKube::done, this);
    }
    static void done(void* user, capstan_status status, const capstan_kube_reply* reply,
                     const capstan_error* error) noexcept {
        auto* self = static_cast<SendKube*>(user);
        self->finish([&] {
            if (status == CAPSTAN_OK && reply != nullptr) {
                self->reply_.body = text(reply->body);
            } else {
                self->fail_with(status, error);
            }
        });
    }
    Host host_;
    KubeRequest request_;
    KubeReply reply_;
};
inline SendKube send(const Host& host, KubeRequest request) { return {host, std::move(request)}; }

/// The awaitable behind `resolve`.
class ResolveKube : private detail::KubeAwait {
public:
    ResolveKube(const Host& host, std::string api_version, std::string kind)
        : host_(host), api_version_(std::move(api_version)), kind_(std::move(kind)) {}

    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) {
        return suspend(awaiting, [this](capstan_op parent) -> capstan_status {
            const auto* kube = host_.service<capstan_kube>(CAPSTAN_SERVICE_KUBE);
            if (!CAPSTAN_HAS(kube, capstan_kube, resolve)) return CAPSTAN_E_PERMISSION;
            return kube->resolve(host_.raw(), str(api_version_), str(kind_), parent,
                                 &ResolveKube::done, this);
        });
    }
    KubeResource await_resume() {
        demand();
        return std::move(resource_);
    }

private:
    static void done(void* user, capstan_status status, const capstan_kube_resource* resource,
                     const capstan_error* error) noexcept {
        auto* self = static_cast<ResolveKube*>(user);
        self->finish([&] {
            if (status == CAPSTAN_OK && resource != nullptr) {
                self->resource_ = KubeResource(
                    std::string(text(resource->group)), std::string(text(resource->version)),
                    std::string(text(resource->plural)), std::string(text(resource->kind)),
                    resource->has_namespace != 0);
            } else {
                self->fail_with(status, error);
            }
        });
    }
    Host host_;
    std::string api_version_, kind_;
    KubeResource resource_;
};
/// The resource of an apiVersion and kind: resolve(host, "apps/v1", "Deployment").
inline ResolveKube resolve(const Host& host, std::string api_version, std::string kind) {
    return {host, std::move(api_version), std::move(kind)};
}

/// The objects that a watch follows.
struct KubeSelection {
    KubeResource resource{};
    std::string ns{};  ///< empty: all namespaces
    std::string label_selector{}, field_selector{};
    std::uint32_t queue_limit = 0;  ///< 0: the host's default

    explicit KubeSelection(KubeResource of, std::string in_ns = {}, std::string labels = {})
        : resource(std::move(of)), ns(std::move(in_ns)), label_selector(std::move(labels)) {}
};

/// A capstan_kube_event; borrows from it. Unknown types are not passed on.
struct KubeEvent {
    enum class Type : std::int32_t {
        added = CAPSTAN_KUBE_ADDED,
        modified = CAPSTAN_KUBE_MODIFIED,
        deleted = CAPSTAN_KUBE_DELETED,
        synced = CAPSTAN_KUBE_SYNCED,
        trouble = CAPSTAN_KUBE_TROUBLE,
    };
    Type type{};
    std::string_view object{};             ///< JSON text
    const capstan_error* error = nullptr;  ///< only with trouble
};

/// Watches objects of a kind during its lifetime. [strand] `on_event` is called neither inside the
/// constructor nor after the destructor. An exception of `on_event` ends the watch and is logged.
class KubeWatch {
public:
    using OnEvent = std::function<void(const KubeEvent&)>;

    /// Throws a Failure if the host refuses the watch at once, for example if `grants.kube` is
    /// empty. A missing grant for this resource is reported as `trouble`.
    KubeWatch(const Host& host, const KubeSelection& selection, OnEvent on_event)
        : state_(new State{host, std::move(on_event)}) {
        const capstan_status status = state_->start(selection);
        if (status == CAPSTAN_OK) return;
        delete state_;
        throw Failure(error_code(status),
                      "watch " + selection.resource.plural + ": refused by the host");
    }
    KubeWatch(KubeWatch&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    KubeWatch& operator=(KubeWatch&&) = delete;
    ~KubeWatch() {
        if (state_ != nullptr) state_->leave();
    }
    /// No more events follow: the instance is stopping, the watch is not granted, or `on_event`
    /// threw.
    bool has_ended() const noexcept { return state_ == nullptr || state_->has_ended; }

private:
    /// Lives until both the owner and the host have released it.
    struct State {
        Host host;
        OnEvent on_event;
        std::uint64_t id = 0;
        bool has_ended = false;
        bool is_left = false;

        const capstan_kube* table() const noexcept {
            return host.service<capstan_kube>(CAPSTAN_SERVICE_KUBE);
        }
        capstan_status start(const KubeSelection& selection) {
            const capstan_kube* kube = table();
            if (!CAPSTAN_HAS(kube, capstan_kube, watch) ||
                !CAPSTAN_HAS(kube, capstan_kube, unwatch))
                return CAPSTAN_E_PERMISSION;
            const capstan_kube_resource resource = to_abi(selection.resource);
            const capstan_kube_watch raw{
                sizeof raw,        selection.queue_limit,         &resource,
                str(selection.ns), str(selection.label_selector), str(selection.field_selector)};
            return kube->watch(host.raw(), &raw, &State::receive, this, &id);
        }
        void leave() noexcept {
            is_left = true;
            if (has_ended) {
                delete this;
            } else {
                table()->unwatch(host.raw(), id);
            }
        }
        static void receive(void* user, const capstan_kube_event* event) noexcept {
            auto* self = static_cast<State*>(user);
            if (event->type == CAPSTAN_KUBE_ENDED) return self->end();
            if (self->is_left || event->type < CAPSTAN_KUBE_ADDED ||
                event->type > CAPSTAN_KUBE_TROUBLE)
                return;
            try {
                self->on_event(
                    {static_cast<KubeEvent::Type>(event->type), text(event->object), event->error});
            } catch (...) {
                self->host.error("watch ended: its callback failed",
                                 {field("error", current_error().message)});
                self->table()->unwatch(self->host.raw(), self->id);
            }
        }
        void end() noexcept {
            has_ended = true;
            if (is_left) delete this;
        }
    };
    State* state_;
};

/// The object that an event is about.
struct KubeReference {
    std::string api_version{}, kind{};
    std::string ns{};  ///< empty: cluster-scoped
    std::string name{}, uid{};
};

/// Records an Event about an object, asynchronously; see capstan_kube.record.
inline Result<void> record(const Host& host, const KubeReference& about, bool is_warning,
                           std::string_view reason, std::string_view message) {
    const auto* kube = host.service<capstan_kube>(CAPSTAN_SERVICE_KUBE);
    capstan_status status = CAPSTAN_E_PERMISSION;
    if (CAPSTAN_HAS(kube, capstan_kube, record)) {
        const capstan_kube_note note{sizeof note,     is_warning ? 1 : 0, str(about.api_version),
                                     str(about.kind), str(about.ns),      str(about.name),
                                     str(about.uid),  str(reason),        str(message)};
        status = kube->record(host.raw(), &note);
    }
    if (status == CAPSTAN_OK) return {};
    return fail(error_code(status), "event " + std::string(reason) + " about " + about.kind + " " +
                                        about.name + ": refused by the host");
}

CAPSTAN_NAMESPACE_END
