/// The contract of a controller: it reconciles its own objects in the cluster.
///
///     class Mirror {
///     public:
///         Mirror(Host host, const Settings& settings);
///         Task<void> start();                           // watches its objects: kube.hpp
///         Task<Reconciled> reconcile(Reconcile what);   // reads, decides, writes
///     };
///
/// A Task may also be a plain value or Result. All functions run on the instance's strand and must
/// not block. `reconcile` is called only while this host is the leader. Write to the cluster only
/// in `reconcile`, and request one elsewhere:
///
///     KubeWatch pods_{host_, KubeSelection(pods), [this](const KubeEvent& event) {
///         remember(event);
///         want_reconcile(host_, 500ms);
///     }};
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/abi/controller.h>
#include <capstan/abi/service_reconcile.h>
#include <capstan/detail/from_abi_lists.hpp>
#include <capstan/task.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

struct Reconcile {
    bool is_first = false;  ///< the first one since this host became leader: memory may be stale
};

/// The result of one reconcile; see capstan_reconciled.
struct Reconciled {
    int objects = 0;                     ///< number of objects that the controller reconciles
    std::optional<Duration> again_in{};  ///< until the next call; absent: not requested
    std::string summary{};               ///< one sentence with numbers
    std::vector<Error> problems{};       ///< Error::subject is the object
    bool operator==(const Reconciled&) const = default;
};

template <class T>
concept Controller = requires(T& t, Reconcile what) { t.reconcile(what); };

/// Requests a reconcile within that time; see capstan_reconcile_service.want. [any thread]
inline Result<void> want_reconcile(const Host& host, Duration within) {
    const auto* service = host.service<capstan_reconcile_service>(CAPSTAN_SERVICE_RECONCILE);
    const capstan_status status = CAPSTAN_HAS(service, capstan_reconcile_service, want)
                                      ? service->want(host.raw(), within.count())
                                      : CAPSTAN_E_UNSUPPORTED;
    if (status == CAPSTAN_OK) return {};
    return fail(error_code(status), "the host refused to schedule a reconcile");
}

namespace detail {
template <>
inline constexpr std::size_t first_size<capstan_reconciled> =
    offsetof(capstan_reconciled, problems) + sizeof(capstan_array);
}  // namespace detail

/// A checked copy; see from_abi.hpp.
inline Result<Reconciled> reconciled_from_abi(const capstan_reconciled& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.objects < 0) return detail::misfit("objects is " + std::to_string(raw.objects));
    Reconciled out{.objects = raw.objects};
    if (raw.again_ns >= 0) out.again_in = Duration(raw.again_ns);
    CAPSTAN_TRY(out.summary, detail::text_from_abi("summary", raw.summary));
    CAPSTAN_TRY(out.problems, detail::list_from_abi<capstan_error>("problems", raw.problems,
                                                                   detail::error_from_abi));
    return out;
}

namespace detail {

template <>
struct Completion<Reconciled> {
    static capstan_status complete(const Host& host, capstan_op op, const Reconciled& value) {
        AbiArena arena;
        const capstan_reconciled crossing{sizeof crossing, value.objects,
                                          value.again_in ? value.again_in->count() : -1,
                                          str(value.summary), arena.list(value.problems)};
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_RECONCILED, &crossing);
    }
};

template <Controller T>
struct ControllerTable {
    static constexpr const char* kind = CAPSTAN_KIND_CONTROLLER;
    static constexpr bool is_parallel = false;
    T* object;
    const Host* host = nullptr;
    capstan_controller table{sizeof table, 0, nullptr, &reconcile};

    explicit ControllerTable(T& controller) noexcept : object(&controller) {}
    /// Called once the table is at its final address.
    void attach(const Host& owner) noexcept {
        host = &owner;
        table.self = this;
    }

private:
    static capstan_status reconcile(void* self, capstan_op op,
                                    const capstan_reconcile* what) noexcept {
        auto& me = *static_cast<ControllerTable*>(self);
        return run_operation<Reconciled>(
            *me.host, op, [&] { return me.object->reconcile({.is_first = what->is_first != 0}); });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
