/// The contract of a splitter: how new nodes are shared out among similar groups.
///
///     class ToTheFirst {
///     public:
///         void split(const Call& call, int nodes, const GroupList& groups,
///                    const GroupIncreases& grow) const;
///     };
///
/// Groups come ordered by id, with min, max and target. Growths may add up to less than `nodes`
/// when the groups have no more room; a sum above it, a negative growth or one past a maximum fails
/// the call.
#pragma once

#include <concepts>
#include <cstdint>

#include <capstan/abi/splitter.h>
#include <capstan/call.hpp>
#include <capstan/model_views.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// grow(2, 5): the group at index 2 gets five more; at most once per group.
class GroupIncreases {
public:
    explicit GroupIncreases(const capstan_splitter_response& out) noexcept : out_(&out) {}
    void operator()(std::uint32_t group, int by) const noexcept { out_->grow(out_, group, by); }

private:
    const capstan_splitter_response* out_;
};

template <class T>
concept Splitter = requires(T& t, const Call& call, const GroupList& groups,
                            const GroupIncreases& grow) { t.split(call, 1, groups, grow); };

namespace detail {

template <Splitter T>
struct SplitterTable {
    static constexpr const char* kind = CAPSTAN_KIND_SPLITTER;
    static constexpr bool is_parallel = Splitter<const T>;
    capstan_splitter table;

    explicit SplitterTable(T& object) noexcept : table{sizeof table, 0, &object, &split} {}
    static capstan_status split(void* self, const capstan_call* call,
                                const capstan_splitter_request* in,
                                const capstan_splitter_response* out) noexcept {
        return guarded(call, [&] {
            return static_cast<T*>(self)->split(Call(*call), in->nodes, GroupList(in->groups),
                                                GroupIncreases(*out));
        });
    }
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
