#include "runtime/wiring.hpp"

namespace capstan::runtime {
namespace {

Result<std::shared_ptr<PluginInstance>> find_instance(const PluginHost& host,
                                                      const PluginInstanceId& id) {
    if (auto instance = host.find(id)) return instance;
    return fail(ErrorCode::internal, "pipeline: there is no instance " + id.value());
}

engine::StageFallback fallback(OnTrouble trouble) {
    return trouble == OnTrouble::fail ? engine::StageFallback::fail : engine::StageFallback::skip;
}

}  // namespace

Result<Wiring> wire(const Pipeline& pipeline, const PluginHost& host) {
    Wiring wiring;
    for (const Stage& stage : pipeline.scale_up.expanders) {
        CAPSTAN_TRY(auto instance, find_instance(host, stage.use));
        wiring.expanders.push_back(
            {std::move(instance), fallback(stage.on_error), fallback(stage.on_empty)});
    }
    for (const PluginInstanceId& check : pipeline.scale_up.similarity) {
        CAPSTAN_TRY(auto instance, find_instance(host, check));
        wiring.similarity.push_back(std::move(instance));
    }
    CAPSTAN_TRY(wiring.splitter, find_instance(host, pipeline.scale_up.splitter));
    for (const PluginInstanceId& source : pipeline.scale_up.group_sources) {
        CAPSTAN_TRY(auto instance, find_instance(host, source));
        wiring.group_sources.push_back(std::move(instance));
    }
    return wiring;
}

Result<PassPolicies> PassPolicies::make(const Wiring& wiring, PassWatch& watch) {
    PassPolicies out;
    for (const Wiring::Stage& stage : wiring.expanders) {
        CAPSTAN_TRY(auto expander, PluginExpander::make(stage.expander, watch));
        out.chain_.push_back(
            {stage.expander->id(), expander.get(), stage.on_error, stage.on_empty});
        out.expanders_.push_back(std::move(expander));
    }
    for (const auto& instance : wiring.similarity) {
        CAPSTAN_TRY(auto check, PluginSimilarity::make(instance, watch));
        out.similarity_.push_back({instance->id(), check.get()});
        out.checks_.push_back(std::move(check));
    }
    if (wiring.splitter) {
        CAPSTAN_TRY(out.splitter_, PluginSplitter::make(wiring.splitter, watch));
    }
    for (const auto& instance : wiring.group_sources) {
        CAPSTAN_TRY(auto source, PluginGroupSource::make(instance, watch));
        out.group_sources_.push_back({instance->id(), source.get()});
        out.sources_.push_back(std::move(source));
    }
    return out;
}

}  // namespace capstan::runtime
