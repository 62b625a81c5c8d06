/// The contract of a splitter: it distributes new nodes among similar groups.
///
///     class ToTheFirst {
///     public:
///         void split(const Call& call, int nodes, const GroupList& groups,
///                    const GroupIncreases& grow) const;
///     };
///
/// Groups are ordered by id, with min, max and target. Increases may add up to less than `nodes` if
/// the groups are full. A larger sum, a negative increase or one beyond a maximum fails the call.
#pragma once

#include <concepts>
#include <cstdint>

#include <capstan/abi/splitter.h>
#include <capstan/call.hpp>
#include <capstan/model_views.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// grow(2, 5): five more nodes for the group at index 2; at most one call per group.
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
