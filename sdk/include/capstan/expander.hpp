/// The contract of an expander: it chooses among the options of a scale-up.
///
///     class Biggest {
///     public:
///         void filter(const Call& call, const ExpanderRequest& request,
///                     const Selection& keep) const;
///     };
///
/// A `const` filter may be called from several threads at once. The result of a filter depends only
/// on its arguments, its settings, call.seed() and call.now(). It keeps the best option, or all
/// options that are equally good. Keeping none is a valid result.
#pragma once

#include <concepts>

#include <capstan/abi/expander.h>
#include <capstan/call.hpp>
#include <capstan/model_views.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Borrowed until the hook returns.
class ExpanderRequest {
public:
    explicit ExpanderRequest(const capstan_expander_request& in) noexcept : in_(&in) {}
    OptionList options() const noexcept {
        return OptionList(in_->options);
    }  ///< ordered by group id, at least one
    PodEquivalenceGroupList pods() const noexcept { return PodEquivalenceGroupList(in_->pods); }
    std::uint32_t cluster_nodes() const noexcept { return in_->cluster_nodes; }

private:
    const capstan_expander_request* in_;
};

/// keep(option) keeps an option; the score is for the explanation only.
class Selection {
public:
    explicit Selection(const capstan_expander_response& out) noexcept : out_(&out) {}
    void operator()(const OptionView& option, double score = 0) const noexcept {
        out_->keep(out_, option.index(), score);
    }

private:
    const capstan_expander_response* out_;
};

template <class T>
concept Expander = requires(T& t, const Call& call, const ExpanderRequest& request,
                            const Selection& keep) { t.filter(call, request, keep); };

namespace detail {

template <Expander T>
struct ExpanderTable {
    static constexpr const char* kind = CAPSTAN_KIND_EXPANDER;
    static constexpr bool is_parallel = Expander<const T>;
    capstan_expander table;

    explicit ExpanderTable(T& object) noexcept : table{sizeof table, 0, &object, &filter} {}
    static capstan_status filter(void* self, const capstan_call* call,
                                 const capstan_expander_request* in,
                                 const capstan_expander_response* out) noexcept {
        return guarded(call, [&] {
            return static_cast<T*>(self)->filter(Call(*call), ExpanderRequest(*in),
                                                 Selection(*out));
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
