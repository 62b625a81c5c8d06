#include "autoscaler/wiring.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::autoscaler {
namespace {

/// A call that is late is closed by then, see OperationTable::Options::grace.
constexpr Duration closing_time = std::chrono::seconds(10);

engine::StageFallback fallback(config::StageFailurePolicy policy) {
    return policy == config::StageFailurePolicy::fail ? engine::StageFallback::fail
                                                      : engine::StageFallback::skip;
}

/// By default, the options that a service refuses are not bought: its empty answer is a decision.
engine::StageFallback fallback_if_empty(const config::Stage& stage,
                                        const plugin_runtime::instances::PluginInstance* expander) {
    if (stage.on_empty) return fallback(*stage.on_empty);
    if (expander == nullptr) return engine::StageFallback::skip;
    const auto service =
        expander->interface<capstan_async_expander>(CAPSTAN_INTERFACE_ASYNC_EXPANDER);
    return service && *service != nullptr ? engine::StageFallback::fail
                                          : engine::StageFallback::skip;
}

/// A policy of any kind in place of an instance that has not started. Each call fails with that
/// error, so the `on_error` of the configuration applies. As a similarity check it never decides
/// and has no buckets.
class AbsentPolicy final : public engine::Expander,
                           public engine::SimilarityCheck,
                           public engine::Splitter,
                           public engine::GroupSource {
public:
    explicit AbsentPolicy(const PluginInstanceId& instance)
        : error_(plugin_runtime::instances::not_started(instance)) {}
    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion&,
                                        std::span<const std::uint32_t>,
                                        const engine::CallContext&) override {
        return fail(error_);
    }
    Result<Similarity> similar(const NodeTemplate&, const NodeTemplate&,
                               const engine::CallContext&) override {
        return fail(error_);
    }
    bool may_decide() const override { return false; }
    Result<std::uint64_t> bucket(const NodeTemplate&, const engine::CallContext&) override {
        return fail(error_);
    }
    Result<std::vector<int>> split(int, std::span<const NodeGroup>,
                                   const engine::CallContext&) override {
        return fail(error_);
    }
    Result<engine::GroupsAnswer> suggest(const engine::GroupsQuestion&,
                                         const engine::CallContext&) override {
        return fail(error_);
    }
    Result<bool> owns(const NodeGroup&, const engine::CallContext&) override {
        return fail(error_);
    }

private:
    const Error error_;
};

Result<std::unique_ptr<engine::Expander>> make_stage(
    const Wiring::Stage& stage, plugin_runtime::instances::PassWatch& watch,
    const std::shared_ptr<policies::ExpanderAnswers>& answers) {
    if (stage.expander == nullptr) return std::make_unique<AbsentPolicy>(stage.absent);
    return policies::make_expander(stage.expander, watch, answers);
}

}  // namespace

Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> find_instance(
    const PluginHost& host, const PluginInstanceId& id, Missing missing) {
    if (auto instance = host.find(id)) return instance;
    const bool may_come =
        missing == Missing::has_not_started &&
        std::ranges::find(host.identities(), id, &plugin_runtime::services::InstanceIdentity::id) !=
            host.identities().end();
    if (may_come) return nullptr;
    return fail(ErrorCode::internal, "pipeline: no plugin " + id.value());
}

Result<Wiring> wire(const config::Pipeline& pipeline, const PluginHost& host, Missing missing) {
    Wiring wiring;
    for (const config::Stage& stage : pipeline.scale_up.expanders) {
        CAPSTAN_TRY(auto instance, find_instance(host, stage.use, missing));
        const engine::StageFallback on_empty = fallback_if_empty(stage, instance.get());
        wiring.expanders.push_back(
            {std::move(instance), fallback(stage.on_error), on_empty, stage.use});
    }
    for (const PluginInstanceId& check : pipeline.scale_up.similarity) {
        CAPSTAN_TRY(auto instance, find_instance(host, check, missing));
        if (instance == nullptr) wiring.absent.similarity.push_back(check);
        if (instance != nullptr) wiring.similarity.push_back(std::move(instance));
    }
    CAPSTAN_TRY(wiring.splitter, find_instance(host, pipeline.scale_up.splitter, missing));
    if (wiring.splitter == nullptr) wiring.absent.splitter = pipeline.scale_up.splitter;
    for (const PluginInstanceId& source : pipeline.scale_up.group_sources) {
        CAPSTAN_TRY(auto instance, find_instance(host, source, missing));
        if (instance == nullptr) wiring.absent.group_sources.push_back(source);
        if (instance != nullptr) wiring.group_sources.push_back(std::move(instance));
    }
    return wiring;
}

std::vector<plugin_runtime::instances::SkippedHook> skipped_of(const Wiring& wiring) {
    std::vector<plugin_runtime::instances::SkippedHook> out;
    const auto add = [&out](const PluginInstanceId& id) {
        out.push_back({id, plugin_runtime::loop::Hook::start, "not started"});
    };
    for (const Wiring::Stage& stage : wiring.expanders)
        if (stage.expander == nullptr) add(stage.absent);
    std::ranges::for_each(wiring.absent.similarity, add);
    if (wiring.absent.splitter) add(*wiring.absent.splitter);
    std::ranges::for_each(wiring.absent.group_sources, add);
    return out;
}

policies::ExpanderAnswers::Ask asking(PluginHost& host) {
    return [&host](const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
                   plugin_runtime::instances::ExpanderClient::Question question) {
        return host.wait<KeptOptions>(
            [&](PluginHost::Done<KeptOptions> done) {
                expander->filter(std::move(question), std::move(done));
            },
            expander->deadline() + closing_time);
    };
}

Result<PassPolicies> PassPolicies::make(const Wiring& wiring,
                                        plugin_runtime::instances::PassWatch& watch,
                                        std::shared_ptr<policies::ExpanderAnswers> answers) {
    PassPolicies out;
    for (const Wiring::Stage& stage : wiring.expanders) {
        CAPSTAN_TRY(auto expander, make_stage(stage, watch, answers));
        const std::string name = stage.expander ? stage.expander->id() : stage.absent.value();
        out.chain_.push_back({name, expander.get(), stage.on_error, stage.on_empty});
        out.expanders_.push_back(std::move(expander));
    }
    for (const auto& instance : wiring.similarity) {
        CAPSTAN_TRY(auto check, policies::PluginSimilarity::make(instance, watch));
        out.similarity_.push_back({instance->id(), check.get()});
        out.checks_.push_back(std::move(check));
    }
    for (const PluginInstanceId& id : wiring.absent.similarity) {
        out.checks_.push_back(std::make_unique<AbsentPolicy>(id));
        out.similarity_.push_back({id.value(), out.checks_.back().get()});
    }
    if (wiring.absent.splitter)
        out.splitter_ = std::make_unique<AbsentPolicy>(*wiring.absent.splitter);
    if (wiring.splitter) {
        CAPSTAN_TRY(out.splitter_, policies::PluginSplitter::make(wiring.splitter, watch));
    }
    for (const auto& instance : wiring.group_sources) {
        CAPSTAN_TRY(auto source, policies::PluginGroupSource::make(instance, watch));
        out.group_sources_.push_back({instance->id(), source.get()});
        out.sources_.push_back(std::move(source));
    }
    for (const PluginInstanceId& id : wiring.absent.group_sources) {
        out.sources_.push_back(std::make_unique<AbsentPolicy>(id));
        out.group_sources_.push_back({id.value(), out.sources_.back().get()});
    }
    return out;
}

}  // namespace capstan::autoscaler
