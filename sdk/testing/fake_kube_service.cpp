// capstan.kube/1 of a fake host: what a plugin asks is carried out by its FakeKube when the strand
// has its turn.
#include <memory>
#include <utility>

#include "fake_parts.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr std::size_t watches_max = 16;
/// A watch is a timer that is not waited for, so that it ends with the host.
constexpr Duration for_ever = std::chrono::hours(24 * 365 * 100);

KubeResource copy_resource(const capstan_kube_resource& raw) {
    return {std::string(text(raw.group)), std::string(text(raw.version)),
            std::string(text(raw.plural)), std::string(text(raw.kind)), raw.has_namespace != 0};
}

KubeRequest copy_kube_request(const capstan_kube_request& raw) {
    KubeRequest out(static_cast<KubeVerb>(raw.verb), copy_resource(*raw.resource),
                    std::string(text(raw.ns)), std::string(text(raw.name)),
                    std::string(text(raw.body)));
    out.subresource = text(raw.subresource);
    out.patch_type = static_cast<KubePatch>(raw.patch_type);
    out.dry_run = raw.dry_run != 0;
    out.field_manager = text(raw.field_manager);
    out.label_selector = text(raw.label_selector);
    out.field_selector = text(raw.field_selector);
    out.limit = raw.limit;
    out.continue_token = text(raw.continue_token);
    out.resource_version = text(raw.resource_version);
    out.uid = text(raw.uid);
    if ((raw.present & CAPSTAN_KUBE_HAS_GRACE) != 0) out.grace_seconds = raw.grace_seconds;
    out.propagation = static_cast<KubePropagation>(raw.propagation);
    if (raw.timeout_ms > 0) out.timeout = std::chrono::milliseconds(raw.timeout_ms);
    if (raw.max_reply_bytes > 0) out.max_reply_bytes = raw.max_reply_bytes;
    return out;
}

void hand_over(capstan_kube_done done, void* user, const Result<std::string>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        return done(user, error.code, nullptr, &error);
    }
    const capstan_kube_reply reply{sizeof reply, 0, str(*result)};
    done(user, CAPSTAN_OK, &reply, nullptr);
}

void hand_over(capstan_kube_resolved done, void* user, const Result<KubeResource>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        return done(user, error.code, nullptr, &error);
    }
    const capstan_kube_resource resource = to_abi(*result);
    done(user, CAPSTAN_OK, &resource, nullptr);
}

Unexpected stopped() {
    return fail(ErrorCode::cancelled, "the operation has ended or the instance is stopping");
}

/// Posts a request to the cluster, whose answer is `ask(FakeKube&)`.
template <class Done, class Ask>
capstan_status post_question(const capstan_host* host, capstan_op parent, Done done, void* user,
                             Ask ask, Duration delay = Duration::zero()) {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_KUBE)) return CAPSTAN_E_BUSY;
    auto answer = [&p, parent, done, user, ask = std::move(ask)](capstan_status status) {
        const bool is_over = parent != 0 && p.operations.is_cancelled(parent);
        using Answer = decltype(ask(p.kube));
        hand_over(done, user, status != CAPSTAN_OK || is_over ? Answer(stopped()) : ask(p.kube));
    };
    return delay > Duration::zero() ? p.loop.after(delay, std::move(answer))
                                    : p.loop.post(std::move(answer));
}

capstan_status send_kube(const capstan_host* host, const capstan_kube_request* raw,
                         capstan_kube_done done, void* user) noexcept {
    if (done == nullptr || !CAPSTAN_REACHES(raw, capstan_kube_request, parent) ||
        !CAPSTAN_REACHES(raw->resource, capstan_kube_resource, kind))
        return CAPSTAN_E_INVALID_ARGUMENT;
    const KubeRequest request = copy_kube_request(*raw);
    return post_question(
        host, raw->parent, done, user,
        [request](FakeKube& kube) { return kube.carry_out(request); },
        parts(host).kube.delay_of(request));
}

capstan_status resolve_kind(const capstan_host* host, capstan_str api_version, capstan_str kind,
                            capstan_op parent, capstan_kube_resolved done, void* user) noexcept {
    if (done == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return post_question(
        host, parent, done, user,
        [version = std::string(text(api_version)), wanted = std::string(text(kind))](
            FakeKube& kube) { return kube.resolve(version, wanted); });
}

/// A plugin that listens, until its last event.
struct Listening {
    capstan_kube_on_event on_event;
    void* user;
    bool has_ended = false;

    void notify(std::int32_t type, const std::string& object, const Error* error) {
        if (has_ended) return;
        has_ended = type == CAPSTAN_KUBE_ENDED;
        capstan_error raw{};
        if (error != nullptr) raw = to_abi(*error);
        const capstan_kube_event event{sizeof event, type, str(object),
                                       error != nullptr ? &raw : nullptr};
        on_event(user, &event);
    }
};

/// Passes the cluster's events to the strand, until the watch ends.
FakeKube::Listener listener(FakeParts& p, std::uint64_t id, std::shared_ptr<Listening> to) {
    return [&p, id, to = std::move(to)](KubeEvent::Type type, const std::string& object,
                                        const Error& error) {
        p.loop.post([&p, id, to, type, object, error](capstan_status status) {
            if (status != CAPSTAN_OK || !p.kube_watches.contains(id)) return;
            to->notify(static_cast<std::int32_t>(type), object,
                       type == KubeEvent::Type::trouble ? &error : nullptr);
        });
    };
}

capstan_status watch(const capstan_host* host, const capstan_kube_watch* raw,
                     capstan_kube_on_event on_event, void* user, std::uint64_t* id) noexcept {
    FakeParts& p = parts(host);
    if (on_event == nullptr || id == nullptr ||
        !CAPSTAN_REACHES(raw, capstan_kube_watch, field_selector) ||
        !CAPSTAN_REACHES(raw->resource, capstan_kube_resource, kind))
        return CAPSTAN_E_INVALID_ARGUMENT;
    if (p.is_busy(CAPSTAN_SERVICE_KUBE) || p.kube_watches.size() >= watches_max)
        return CAPSTAN_E_BUSY;
    KubeSelection what(copy_resource(*raw->resource), std::string(text(raw->ns)),
                       std::string(text(raw->label_selector)));
    what.field_selector = text(raw->field_selector);
    const auto listening = std::make_shared<Listening>(Listening{on_event, user});
    std::uint64_t life = 0;
    const capstan_status accepted = p.loop.after(
        for_ever,
        [listening](capstan_status) { listening->notify(CAPSTAN_KUBE_ENDED, {}, nullptr); }, &life);
    if (accepted != CAPSTAN_OK) return accepted;
    *id = life;
    p.kube_watches.insert(life);
    return p.loop.post([&p, life, what, listening](capstan_status status) {
        if (status != CAPSTAN_OK || !p.kube_watches.contains(life)) return;
        const Result<void> followed = p.kube.follow(life, what, listener(p, life, listening));
        if (followed) return;
        listening->notify(CAPSTAN_KUBE_TROUBLE, {}, &followed.error());
        p.kube_watches.erase(life);
        p.loop.cancel(life);
    });
}

capstan_status unwatch(const capstan_host* host, std::uint64_t id) noexcept {
    FakeParts& p = parts(host);
    if (p.kube_watches.erase(id) == 0) return CAPSTAN_E_NOT_FOUND;
    p.kube.unfollow(id);
    return p.loop.cancel(id);
}

capstan_status record_event(const capstan_host* host, const capstan_kube_note* raw) noexcept {
    FakeParts& p = parts(host);
    if (!CAPSTAN_REACHES(raw, capstan_kube_note, message) || raw->kind.len == 0 ||
        raw->name.len == 0 || raw->reason.len == 0)
        return CAPSTAN_E_INVALID_ARGUMENT;
    if (p.loop.is_stopping()) return CAPSTAN_E_CANCELLED;
    KubeNote note;
    note.about = {std::string(text(raw->api_version)), std::string(text(raw->kind)),
                  std::string(text(raw->ns)), std::string(text(raw->name)),
                  std::string(text(raw->uid))};
    note.is_warning = raw->warning != 0;
    note.reason = text(raw->reason);
    note.message = text(raw->message);
    const Result<void> recorded = p.kube.record(std::move(note));
    return recorded ? CAPSTAN_OK : static_cast<capstan_status>(recorded.error().code);
}

}  // namespace

const capstan_kube& fake_kube_table() noexcept {
    static constexpr capstan_kube table{
        sizeof(capstan_kube), 0, &send_kube, &resolve_kind, &watch, &unwatch, &record_event};
    return table;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
