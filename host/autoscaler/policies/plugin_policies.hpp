/// The engine's policies, implemented by plugins. Every answer is checked before the engine sees
/// it.
#pragma once

#include <memory>

#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>

#include "engine/policies.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::autoscaler::policies {

/// The common part of all policies: an instance with its interface, and the watch of the pass,
/// which is borrowed. Cheap to make: one object per pass. [pass thread]
template <class Table>
class PluginPolicy {
public:
    /// `internal`: the instance has no usable interface of that kind.
    static Result<PluginPolicy> of(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance, const char* kind,
        plugin_runtime::instances::PassWatch& watch) {
        CAPSTAN_TRY(const Table* const table, instance->interface<Table>(kind));
        if (table == nullptr)
            return fail(ErrorCode::internal, "plugin " + instance->id() + " is not a " + kind);
        plugin_runtime::instances::PluginInstance& borrowed = *instance;
        watch.admit(std::move(instance));
        return PluginPolicy(borrowed, *table, watch);
    }

    plugin_runtime::instances::PluginInstance& instance() const noexcept { return *instance_; }
    const Table& table() const noexcept { return *table_; }
    plugin_runtime::instances::PassWatch& watch() const noexcept { return *watch_; }

private:
    PluginPolicy(plugin_runtime::instances::PluginInstance& instance, const Table& table,
                 plugin_runtime::instances::PassWatch& watch)
        : instance_(&instance), table_(&table), watch_(&watch) {}
    plugin_runtime::instances::PluginInstance* instance_;  // owned by the watch
    const Table* table_;
    plugin_runtime::instances::PassWatch* watch_;
};

/// Breaches of the contract: an option that is not in the question, a score that is not a number.
class PluginExpander final : public engine::Expander {
public:
    static Result<std::unique_ptr<PluginExpander>> make(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
        plugin_runtime::instances::PassWatch& watch);
    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const engine::CallContext& call_context) override;

private:
    explicit PluginExpander(PluginPolicy<capstan_expander> plugin) : plugin_(plugin) {}
    const PluginPolicy<capstan_expander> plugin_;
};

/// Breaches of the contract: no verdict, more than one verdict, `decided` from an instance whose
/// table has no CAPSTAN_SIMILARITY_MAY_DECIDE. An unknown verdict means `differs`, as
/// abi/similarity.h says.
class PluginSimilarity final : public engine::SimilarityCheck {
public:
    static Result<std::unique_ptr<PluginSimilarity>> make(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
        plugin_runtime::instances::PassWatch& watch);
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const engine::CallContext& call_context) override;
    bool may_decide() const override;
    Result<std::uint64_t> bucket(const NodeTemplate& node,
                                 const engine::CallContext& call_context) override;
    Result<std::uint64_t> equivalence(const NodeTemplate& node,
                                      const engine::CallContext& call_context) override;

private:
    explicit PluginSimilarity(PluginPolicy<capstan_similarity> plugin) : plugin_(plugin) {}
    /// The result of `bucket` or `equivalence`; NULL: the plugin does not implement it.
    using HashHook = decltype(capstan_similarity::bucket);
    Result<std::uint64_t> hash(plugin_runtime::loop::Hook hook, HashHook function,
                               const NodeTemplate& node, const engine::CallContext& call_context);

    const PluginPolicy<capstan_similarity> plugin_;
};

/// Breaches of the contract: a group that is not in the question or occurs twice, a growth that is
/// not positive or exceeds the group's maximum, a sum above the number of nodes, more than 100,000
/// results.
class PluginSplitter final : public engine::Splitter {
public:
    static Result<std::unique_ptr<PluginSplitter>> make(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
        plugin_runtime::instances::PassWatch& watch);
    Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                   const engine::CallContext& call_context) override;

private:
    explicit PluginSplitter(PluginPolicy<capstan_splitter> plugin) : plugin_(plugin) {}
    const PluginPolicy<capstan_splitter> plugin_;
};

/// Breaches of the contract: an invalid plan, a plan whose machine type is not on offer in its
/// zone, a plan with a name that occurs twice, a negative limit, more than 100,000 plans.
class PluginGroupSource final : public engine::GroupSource {
public:
    static Result<std::unique_ptr<PluginGroupSource>> make(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
        plugin_runtime::instances::PassWatch& watch);
    Result<engine::GroupsAnswer> suggest(const engine::GroupsQuestion& question,
                                         const engine::CallContext& call_context) override;
    Result<bool> owns(const NodeGroup& group, const engine::CallContext& call_context) override;

private:
    explicit PluginGroupSource(PluginPolicy<capstan_group_source> plugin) : plugin_(plugin) {}
    const PluginPolicy<capstan_group_source> plugin_;
};

}  // namespace capstan::autoscaler::policies
