/// Views of the cluster for decision hooks: borrowed until the hook returns, read in place, without
/// copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <capstan/abi/model.h>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The value of a key in a list of pairs; the first match counts.
inline std::optional<std::string_view> find(View<capstan_kv> pairs, std::string_view key) noexcept {
    for (const capstan_kv& pair : pairs) {
        if (text(pair.key) == key) return text(pair.value);
    }
    return std::nullopt;
}
/// The amount of a resource in its unit (thousandths of a core for "cpu", whole units otherwise);
/// absent is not zero.
inline std::optional<std::int64_t> find(View<capstan_quantity> amounts,
                                        std::string_view resource) noexcept {
    for (const capstan_quantity& q : amounts) {
        if (text(q.resource) == resource) return q.amount;
    }
    return std::nullopt;
}

class GroupView {
public:
    explicit GroupView(const capstan_group& group) noexcept : group_(&group) {}
    std::string_view id() const noexcept { return text(group_->id); }
    std::optional<int> min() const noexcept { return number(CAPSTAN_GROUP_MIN, group_->min); }
    std::optional<int> max() const noexcept { return number(CAPSTAN_GROUP_MAX, group_->max); }
    std::optional<int> target() const noexcept {
        return number(CAPSTAN_GROUP_TARGET, group_->target);
    }
    View<capstan_kv> tags() const noexcept { return View<capstan_kv>(group_->tags); }
    /// Whether the cloud may reclaim its machines.
    bool is_spot() const noexcept {
        return (group_->present & CAPSTAN_GROUP_SPOT) != 0 && group_->spot != 0;
    }
    /// The zones in which machines may be created; empty: unknown.
    View<capstan_str> zones() const noexcept { return View<capstan_str>(group_->zones); }
    const capstan_group& raw() const noexcept { return *group_; }

private:
    std::optional<int> number(std::uint64_t bit, std::int32_t value) const noexcept {
        return (group_->present & bit) != 0 ? std::optional<int>(value) : std::nullopt;
    }
    const capstan_group* group_;
};

/// The template of a new node.
class TemplateView {
public:
    explicit TemplateView(const capstan_template& node) noexcept : node_(&node) {}
    std::string_view name() const noexcept { return text(node_->name); }
    std::string_view machine_type() const noexcept { return text(node_->machine_type); }
    std::string_view zone() const noexcept { return text(node_->zone); }
    View<capstan_kv> labels() const noexcept { return View<capstan_kv>(node_->labels); }
    View<capstan_kv> annotations() const noexcept { return View<capstan_kv>(node_->annotations); }
    View<capstan_taint> taints() const noexcept { return View<capstan_taint>(node_->taints); }
    View<capstan_quantity> capacity() const noexcept {
        return View<capstan_quantity>(node_->capacity);
    }
    View<capstan_quantity> allocatable() const noexcept {
        return View<capstan_quantity>(node_->allocatable);
    }
    View<capstan_quantity> free() const noexcept { return View<capstan_quantity>(node_->free); }
    const capstan_template& raw() const noexcept { return *node_; }

private:
    const capstan_template* node_;
};

class PodEquivalenceGroupView {
public:
    explicit PodEquivalenceGroupView(const capstan_pod_equivalence_group& pods) noexcept
        : pods_(&pods) {}
    std::uint32_t count() const noexcept { return pods_->count; }
    std::string_view ns() const noexcept { return text(pods_->ns); }
    std::string_view owner_kind() const noexcept { return text(pods_->owner_kind); }
    std::string_view owner_name() const noexcept { return text(pods_->owner_name); }
    std::int32_t priority() const noexcept { return pods_->priority; }
    View<capstan_quantity> requests() const noexcept {
        return View<capstan_quantity>(pods_->requests);
    }
    View<capstan_kv> labels() const noexcept { return View<capstan_kv>(pods_->labels); }
    View<capstan_kv> annotations() const noexcept { return View<capstan_kv>(pods_->annotations); }
    View<capstan_kv> node_selector() const noexcept {
        return View<capstan_kv>(pods_->node_selector);
    }
    View<capstan_toleration> tolerations() const noexcept {
        return View<capstan_toleration>(pods_->tolerations);
    }
    const capstan_pod_equivalence_group& raw() const noexcept { return *pods_; }

private:
    const capstan_pod_equivalence_group* pods_;
};

/// An option of a scale-up, with its index in the request.
class OptionView {
public:
    OptionView(const capstan_option& option, std::uint32_t index) noexcept
        : option_(&option), index_(index) {}
    std::uint32_t index() const noexcept { return index_; }
    GroupView group() const noexcept { return GroupView(*option_->group); }
    std::int32_t nodes() const noexcept { return option_->nodes; }
    std::uint32_t pod_count() const noexcept { return option_->pod_count; }
    /// The template of the new nodes; absent: unknown.
    std::optional<TemplateView> node() const noexcept {
        return option_->node != nullptr ? std::optional<TemplateView>(*option_->node)
                                        : std::nullopt;
    }
    View<capstan_pod_share> pods() const noexcept { return View<capstan_pod_share>(option_->pods); }
    /// The sum of the requests of its pods.
    View<capstan_quantity> requested() const noexcept {
        return View<capstan_quantity>(option_->requested);
    }
    View<capstan_str> similar() const noexcept { return View<capstan_str>(option_->similar); }
    std::optional<double> price_per_hour() const noexcept {
        return (option_->present & CAPSTAN_OPTION_PRICE) != 0
                   ? std::optional<double>(option_->price_per_hour)
                   : std::nullopt;
    }
    bool group_exists() const noexcept { return option_->group_exists != 0; }
    const capstan_option& raw() const noexcept { return *option_; }

private:
    const capstan_option* option_;
    std::uint32_t index_;
};

/// A list that returns views of its elements.
template <class Element, class Raw>
class Listing {
public:
    class Iterator {
    public:
        using value_type = Element;
        using difference_type = std::ptrdiff_t;
        Iterator() = default;
        Iterator(View<Raw> list, std::uint32_t at) noexcept : list_(list), at_(at) {}
        Element operator*() const noexcept { return make(list_, at_); }
        Iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        Iterator operator++(int) noexcept { return {list_, at_++}; }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
            return a.at_ == b.at_;
        }

    private:
        View<Raw> list_;
        std::uint32_t at_ = 0;
    };
    explicit Listing(capstan_array array) noexcept : list_(array) {}
    std::uint32_t size() const noexcept { return list_.size(); }
    bool empty() const noexcept { return list_.empty(); }
    Element operator[](std::uint32_t i) const noexcept { return make(list_, i); }
    Iterator begin() const noexcept { return {list_, 0}; }
    Iterator end() const noexcept { return {list_, list_.size()}; }

private:
    static Element make(const View<Raw>& list, std::uint32_t i) noexcept {
        if constexpr (std::is_constructible_v<Element, const Raw&, std::uint32_t>) {
            return Element(list[i], i);
        } else {
            return Element(list[i]);
        }
    }
    View<Raw> list_;
};
using OptionList = Listing<OptionView, capstan_option>;
using PodEquivalenceGroupList = Listing<PodEquivalenceGroupView, capstan_pod_equivalence_group>;
using GroupList = Listing<GroupView, capstan_group>;

CAPSTAN_NAMESPACE_END
