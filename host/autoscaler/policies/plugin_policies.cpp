#include "autoscaler/policies/plugin_policies.hpp"

#include <capstan/to_abi.hpp>

#include "autoscaler/policies/pass_call.hpp"
#include "io/printable.hpp"
#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/instances/hook_gate.hpp"

namespace capstan::autoscaler::policies {

namespace {

constexpr std::size_t reason_limit = 1024;

/// Takes the plugin's one answer.
class AnswerSink {
public:
    AnswerSink() {
        raw_ = {sizeof raw_, 0, this,
                [](const capstan_similarity_response* out, std::int32_t verdict,
                   capstan_str because) noexcept {
                    static_cast<AnswerSink*>(out->ctx)->take(verdict, because);
                }};
    }
    AnswerSink(const AnswerSink&) = delete;
    AnswerSink& operator=(const AnswerSink&) = delete;

    const capstan_similarity_response* raw() const noexcept { return &raw_; }
    std::string breach(bool may_decide) const {
        if (answers_ == 0) return "returned no verdict";
        if (answers_ > 1) return "returned " + std::to_string(answers_) + " verdicts";
        if (answer_.verdict == SimilarityVerdict::decided && !may_decide) {
            return "decided without declaring that it may decide";
        }
        return {};
    }
    Similarity take_answer() { return std::move(answer_); }

private:
    void take(std::int32_t verdict, capstan_str because) noexcept {
        if (++answers_ > 1) return;
        const bool is_known =
            verdict >= CAPSTAN_SIMILARITY_DIFFERS && verdict <= CAPSTAN_SIMILARITY_DECIDED;
        answer_.verdict =
            is_known ? static_cast<SimilarityVerdict>(verdict) : SimilarityVerdict::differs;
        try {
            answer_.because = io::printable(text(because), reason_limit);
        } catch (...) {  // the verdict counts without its reason
        }
    }

    capstan_similarity_response raw_{};
    int answers_ = 0;
    Similarity answer_;
};

}  // namespace

Result<std::unique_ptr<PluginSimilarity>> PluginSimilarity::make(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
    plugin_runtime::instances::PassWatch& watch) {
    CAPSTAN_TRY(const auto plugin, PluginPolicy<capstan_similarity>::of(
                                       std::move(instance), CAPSTAN_KIND_SIMILARITY, watch));
    return std::unique_ptr<PluginSimilarity>(new PluginSimilarity(plugin));
}

bool PluginSimilarity::may_decide() const {
    return (plugin_.table().flags & CAPSTAN_SIMILARITY_MAY_DECIDE) != 0;
}

Result<Similarity> PluginSimilarity::similar(const NodeTemplate& a, const NodeTemplate& b,
                                             const engine::CallContext& call_context) {
    AbiArena arena;
    const capstan_template left = arena.to_abi(a);
    const capstan_template right = arena.to_abi(b);
    AnswerSink sink;
    const capstan_similarity& table = plugin_.table();
    CAPSTAN_CHECK(call_hook(plugin_.instance(), plugin_runtime::loop::Hook::similar,
                            call_of(call_context), plugin_.watch(), [&](const capstan_call* call) {
                                return plugin_runtime::loop::distrusted(table.similar)(
                                    table.self, call, &left, &right, sink.raw());
                            }));
    if (const std::string breach = sink.breach(may_decide()); !breach.empty()) {
        return contract_breach(plugin_.instance(), plugin_runtime::loop::Hook::similar, breach);
    }
    return sink.take_answer();
}

Result<std::uint64_t> PluginSimilarity::bucket(const NodeTemplate& node,
                                               const engine::CallContext& call_context) {
    const capstan_similarity& table = plugin_.table();
    return hash(plugin_runtime::loop::Hook::bucket,
                CAPSTAN_HAS(&table, capstan_similarity, bucket) ? table.bucket : nullptr, node,
                call_context);
}

Result<std::uint64_t> PluginSimilarity::equivalence(const NodeTemplate& node,
                                                    const engine::CallContext& call_context) {
    const capstan_similarity& table = plugin_.table();
    return hash(plugin_runtime::loop::Hook::equivalence,
                CAPSTAN_HAS(&table, capstan_similarity, equivalence) ? table.equivalence : nullptr,
                node, call_context);
}

Result<std::uint64_t> PluginSimilarity::hash(plugin_runtime::loop::Hook hook, HashHook function,
                                             const NodeTemplate& node,
                                             const engine::CallContext& call_context) {
    if (function == nullptr) {
        return fail(ErrorCode::unsupported, "plugin " + plugin_.instance().id() +
                                                " does not implement " +
                                                std::string(plugin_runtime::loop::name_of(hook)));
    }
    AbiArena arena;
    const capstan_template crossing = arena.to_abi(node);
    std::uint64_t out = 0;
    CAPSTAN_CHECK(call_hook(plugin_.instance(), hook, call_of(call_context), plugin_.watch(),
                            [&](const capstan_call* call) {
                                return plugin_runtime::loop::distrusted(function)(
                                    plugin_.table().self, call, &crossing, &out);
                            }));
    return out;
}

namespace {

/// Takes the growths of the plugin; they are checked after the call.
class GrowSink {
public:
    GrowSink() {
        raw_ = {
            sizeof raw_, 0, this,
            [](const capstan_splitter_response* out, std::uint32_t group,
               std::int32_t by) noexcept { static_cast<GrowSink*>(out->ctx)->grow(group, by); }};
    }
    GrowSink(const GrowSink&) = delete;
    GrowSink& operator=(const GrowSink&) = delete;

    struct Growth {
        std::uint32_t group;
        std::int32_t by;
    };
    const capstan_splitter_response* raw() const noexcept { return &raw_; }
    const std::vector<Growth>& growths() const noexcept { return growths_; }
    bool is_flooded() const noexcept { return is_flooded_; }

private:
    void grow(std::uint32_t group, std::int32_t by) noexcept {
        constexpr std::size_t most = 100'000;
        try {
            is_flooded_ = is_flooded_ || growths_.size() >= most;
            if (!is_flooded_) growths_.push_back({group, by});
        } catch (...) {
            is_flooded_ = true;
        }
    }

    capstan_splitter_response raw_{};
    std::vector<Growth> growths_;
    bool is_flooded_ = false;
};

/// Why the growth breaks the contract; empty: it does not. `so_far`: the growth of each group so
/// far.
std::string growth_breach(const GrowSink::Growth& growth, std::span<const NodeGroup> groups,
                          const std::vector<int>& so_far) {
    if (growth.group >= groups.size()) {
        return "grew group " + std::to_string(growth.group) + " of " +
               std::to_string(groups.size());
    }
    const NodeGroup& group = groups[growth.group];
    if (growth.by <= 0)
        return "grew group " + group.id.value() + " by " + std::to_string(growth.by);
    if (so_far[growth.group] != 0) return "grew group " + group.id.value() + " twice";
    const std::int64_t grown = std::int64_t{group.target.value_or(0)} + growth.by;
    if (group.max && grown > *group.max) {
        return "grew group " + group.id.value() + " to " + std::to_string(grown) +
               ", above its maximum of " + std::to_string(*group.max);
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<PluginSplitter>> PluginSplitter::make(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
    plugin_runtime::instances::PassWatch& watch) {
    CAPSTAN_TRY(const auto plugin, PluginPolicy<capstan_splitter>::of(
                                       std::move(instance), CAPSTAN_KIND_SPLITTER, watch));
    return std::unique_ptr<PluginSplitter>(new PluginSplitter(plugin));
}

Result<std::vector<int>> PluginSplitter::split(int nodes, std::span<const NodeGroup> groups,
                                               const engine::CallContext& call_context) {
    AbiArena arena;
    std::vector<capstan_group> crossing;
    crossing.reserve(groups.size());
    for (const NodeGroup& group : groups) crossing.push_back(arena.to_abi(group));
    const capstan_splitter_request in{sizeof in, nodes, array_of(crossing)};
    GrowSink sink;
    const capstan_splitter& table = plugin_.table();
    CAPSTAN_CHECK(call_hook(plugin_.instance(), plugin_runtime::loop::Hook::split,
                            call_of(call_context), plugin_.watch(), [&](const capstan_call* call) {
                                return plugin_runtime::loop::distrusted(table.split)(
                                    table.self, call, &in, sink.raw());
                            }));
    const auto breach = [&](const std::string& what) {
        return contract_breach(plugin_.instance(), plugin_runtime::loop::Hook::split, what);
    };
    std::vector<int> by(groups.size(), 0);
    std::int64_t sum = 0;
    for (const GrowSink::Growth& growth : sink.growths()) {
        if (const std::string wrong = growth_breach(growth, groups, by); !wrong.empty())
            return breach(wrong);
        by[growth.group] = growth.by;
        sum += growth.by;
    }
    if (sum > nodes)
        return breach("distributed " + std::to_string(sum) + " nodes of " + std::to_string(nodes));
    if (sink.is_flooded()) return breach("returned too many results");
    return by;
}

}  // namespace capstan::autoscaler::policies
