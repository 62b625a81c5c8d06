/// The contract of an expander that asks a service: it chooses among the options of a scale-up.
///
///     class Asking {
///     public:
///         Asking(Host host, const Settings& settings);
///         Task<KeptOptions> filter(AsyncExpanderRequest request);
///     };
///
/// Such a class is of the kind "capstan.expander/1", as in expander.hpp; the host calls it through
/// the companion interface "capstan.expander.async/1". `filter` runs on the instance's strand and
/// must not block; a pass waits for it until the deadline of the call. The result is recorded with
/// the pass. `filter` keeps the best option, or all options that are equally good. Keeping none is
/// a valid result; a Failure is an error. Within a pass `filter` is not called again after a
/// Failure other than `invalid_argument` and `internal`, nor once its calls have together taken
/// twice the time limit of one call.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <capstan/abi/expander.h>
#include <capstan/from_abi_pods.hpp>
#include <capstan/requests.hpp>
#include <capstan/task.hpp>
#include <capstan/time.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Owns its data, so that it is valid after a suspension.
struct AsyncExpanderRequest {
    RequestFlags flags{};
    std::uint64_t seed = 0;                   ///< the only randomness to use, as Call::seed
    Time now{};                               ///< of the pass, as Call::now
    std::uint32_t cluster_nodes = 0;          ///< nodes in the cluster now
    std::vector<ScaleUpOption> options{};     ///< ordered by group id, at least one
    std::vector<PodEquivalenceGroup> pods{};  ///< the options' shares have indices into these
};

struct KeptOptions {
    struct Kept {
        std::uint32_t option = 0;  ///< index into the request's options
        double score = 0;          ///< for the explanation only
        bool operator==(const Kept&) const = default;
    };
    std::vector<Kept> kept{};
    std::vector<std::string> sentences{};  ///< the expander's explanation, with numbers
    bool operator==(const KeptOptions&) const = default;
};

template <class T>
concept AsyncExpander =
    requires(T& t, AsyncExpanderRequest request) { t.filter(std::move(request)); };

inline Result<AsyncExpanderRequest> async_expander_request_from_abi(
    const capstan_async_expander_request& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.options == nullptr) return detail::misfit("options is NULL");
    AsyncExpanderRequest out{.flags = RequestFlags::from_abi(raw.flags),
                             .seed = raw.seed,
                             .now = time_from_unix_ns(raw.now_unix_ns),
                             .cluster_nodes = raw.options->cluster_nodes};
    CAPSTAN_TRY(out.pods, detail::list_from_abi<capstan_pod_equivalence_group>(
                              "pods", raw.options->pods, equivalence_group_from_abi));
    const auto equivalence_groups = static_cast<std::uint32_t>(out.pods.size());
    CAPSTAN_TRY(out.options,
                detail::list_from_abi<capstan_option>(
                    "options", raw.options->options, [&](const capstan_option& option) {
                        return option_from_abi(option, equivalence_groups);
                    }));
    if (out.options.empty()) return detail::misfit("options is empty");
    return out;
}

/// `options` is the number of options in the request. An option may be kept twice.
inline Result<KeptOptions> kept_options_from_abi(const capstan_selection& raw,
                                                 std::uint32_t options) {
    CAPSTAN_CHECK(detail::check_size(raw));
    const auto kept_from_abi = [&](const capstan_kept_option& kept) -> Result<KeptOptions::Kept> {
        CAPSTAN_CHECK(detail::check_size(kept));
        if (kept.option >= options) {
            return detail::misfit("option is " + std::to_string(kept.option) +
                                  ", the request has " + std::to_string(options));
        }
        if (std::isnan(kept.score)) return detail::misfit("score is not a number");
        return KeptOptions::Kept{kept.option, kept.score};
    };
    KeptOptions out;
    CAPSTAN_TRY(out.kept,
                detail::list_from_abi<capstan_kept_option>("kept", raw.kept, kept_from_abi));
    CAPSTAN_TRY(out.sentences, detail::list_from_abi<capstan_str>(
                                   "sentences", raw.sentences, [](const capstan_str& sentence) {
                                       return detail::text_from_abi("sentence", sentence);
                                   }));
    return out;
}

namespace detail {

template <>
struct Completion<KeptOptions> {
    static capstan_status complete(const Host& host, capstan_op op, const KeptOptions& value) {
        AbiArena arena;
        std::vector<capstan_kept_option> kept;
        kept.reserve(value.kept.size());
        for (const KeptOptions::Kept& k : value.kept)
            kept.push_back({sizeof(capstan_kept_option), k.option, k.score});
        const capstan_selection crossing{sizeof crossing, 0, array_of(kept),
                                         arena.list(value.sentences)};
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_SELECTION, &crossing);
    }
};

/// The tables of an expander that asks a service.
template <AsyncExpander T>
struct AsyncExpanderTable {
    static constexpr const char* kind = CAPSTAN_KIND_EXPANDER;
    static constexpr bool is_parallel = false;
    T* object;
    const Host* host = nullptr;
    capstan_expander expander{sizeof expander, 0, nullptr, &refuse};
    capstan_async_expander table{sizeof table, 0, nullptr, &filter};

    explicit AsyncExpanderTable(T& of) noexcept : object(&of) {}
    /// Called once the tables are at their final address.
    void attach(const Host& owner) noexcept {
        host = &owner;
        expander.self = table.self = this;
    }
    const void* interface_of(const char* id) const noexcept {
        if (std::strcmp(id, CAPSTAN_KIND_EXPANDER) == 0) return &expander;
        if (std::strcmp(id, CAPSTAN_INTERFACE_ASYNC_EXPANDER) == 0) return &table;
        return nullptr;
    }

private:
    static capstan_status refuse(void*, const capstan_call* call, const capstan_expander_request*,
                                 const capstan_expander_response*) noexcept {
        return guarded(call, []() -> Result<void> {
            return fail(
                ErrorCode::unsupported,
                "this expander calls a service; implement " CAPSTAN_INTERFACE_ASYNC_EXPANDER);
        });
    }
    static capstan_status filter(void* self, capstan_op op,
                                 const capstan_async_expander_request* raw) noexcept {
        auto& me = *static_cast<AsyncExpanderTable*>(self);
        return run_operation<KeptOptions>(*me.host, op, [&] {
            Result<AsyncExpanderRequest> request = async_expander_request_from_abi(*raw);
            if (!request) throw Failure(std::move(request).error());
            return me.object->filter(std::move(*request));
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
