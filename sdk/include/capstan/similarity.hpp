/// The contract of a similarity check: whether new nodes of two groups count as the same.
///
///     class SameArch {
///     public:
///         Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const;
///         // optional:
///         std::uint64_t bucket(const Call&, const TemplateView& node) const;
///         std::uint64_t equivalence(const Call&, const TemplateView& node) const;
///         bool may_decide() const;  // false without it
///     };
///
/// `similar` is symmetric. Equal buckets are necessary for similarity, never sufficient. Templates
/// of equal equivalence are interchangeable: `similar` gives them the same verdict with any other
/// template. If all hooks are `const`, they may be called from several threads at once.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <capstan/abi/similarity.h>
#include <capstan/call.hpp>
#include <capstan/model_views.hpp>

CAPSTAN_NAMESPACE_BEGIN

enum class SimilarityVerdict : std::int32_t {
    differs = CAPSTAN_SIMILARITY_DIFFERS,
    agrees = CAPSTAN_SIMILARITY_AGREES,    ///< similar if every other check agrees
    decided = CAPSTAN_SIMILARITY_DECIDED,  ///< similar, whatever the other checks say
};

/// The result and its reason, a sentence with numbers.
struct Similarity {
    SimilarityVerdict verdict = SimilarityVerdict::differs;
    std::string because;
    bool operator==(const Similarity&) const = default;
};
inline Similarity differs(std::string because) {
    return {SimilarityVerdict::differs, std::move(because)};
}
inline Similarity agrees(std::string because) {
    return {SimilarityVerdict::agrees, std::move(because)};
}
inline Similarity decided(std::string because) {
    return {SimilarityVerdict::decided, std::move(because)};
}

template <class T>
concept SimilarityCheck = requires(T& t, const Call& call, const TemplateView& node) {
    { t.similar(call, node, node) } -> std::convertible_to<Similarity>;
};

namespace detail {

template <SimilarityCheck T>
struct SimilarityTable {
    static constexpr const char* kind = CAPSTAN_KIND_SIMILARITY;
    static constexpr bool has_bucket = requires(T& t, const Call& call, const TemplateView& node) {
        { t.bucket(call, node) } -> std::convertible_to<std::uint64_t>;
    };
    static_assert(
        has_bucket || !requires { &T::bucket; },
        "bucket(const Call&, const TemplateView&) returns std::uint64_t");
    static constexpr bool has_equivalence =
        requires(T& t, const Call& call, const TemplateView& node) {
            { t.equivalence(call, node) } -> std::convertible_to<std::uint64_t>;
        };
    static_assert(
        has_equivalence || !requires { &T::equivalence; },
        "equivalence(const Call&, const TemplateView&) returns std::uint64_t");
    /// A single hook that is not const prevents concurrent calls of all of them.
    static constexpr bool is_parallel =
        SimilarityCheck<const T> &&
        (!has_bucket || requires(const T& t, const Call& call,
                                 const TemplateView& node) { t.bucket(call, node); }) &&
        (!has_equivalence || requires(const T& t, const Call& call, const TemplateView& node) {
            t.equivalence(call, node);
        });
    capstan_similarity table;

    explicit SimilarityTable(T& object) noexcept
        : table{sizeof table, flags_of(object), &object, &similar, nullptr, nullptr} {
        if constexpr (has_bucket) table.bucket = &bucket;
        if constexpr (has_equivalence) table.equivalence = &equivalence;
    }
    static std::uint32_t flags_of(T& object) noexcept {
        if constexpr (requires { object.may_decide(); }) {
            return object.may_decide() ? static_cast<std::uint32_t>(CAPSTAN_SIMILARITY_MAY_DECIDE)
                                       : 0u;
        }
        return 0;
    }
    static capstan_status similar(void* self, const capstan_call* call, const capstan_template* a,
                                  const capstan_template* b,
                                  const capstan_similarity_response* out) noexcept {
        return guarded(call, [&] {
            const Similarity answer =
                static_cast<T*>(self)->similar(Call(*call), TemplateView(*a), TemplateView(*b));
            out->answer(out, static_cast<std::int32_t>(answer.verdict), str(answer.because));
        });
    }
    static capstan_status bucket(void* self, const capstan_call* call, const capstan_template* node,
                                 std::uint64_t* hash) noexcept
        requires has_bucket
    {
        return guarded(
            call, [&] { *hash = static_cast<T*>(self)->bucket(Call(*call), TemplateView(*node)); });
    }
    static capstan_status equivalence(void* self, const capstan_call* call,
                                      const capstan_template* node, std::uint64_t* hash) noexcept
        requires has_equivalence
    {
        return guarded(call, [&] {
            *hash = static_cast<T*>(self)->equivalence(Call(*call), TemplateView(*node));
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
