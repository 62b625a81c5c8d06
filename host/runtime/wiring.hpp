/// Which instance decides what: the [pipeline] of a configuration, with names become instances.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/pass.hpp"
#include "runtime/instances/policies.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime {

/// Immutable and cheap to copy, so that every thread of a pass owns one.
struct Wiring {
    struct Stage {
        std::shared_ptr<PluginInstance> expander;
        engine::StageFallback on_error = engine::StageFallback::skip;
        engine::StageFallback on_empty = engine::StageFallback::skip;
    };
    std::vector<Stage> expanders;
    std::vector<std::shared_ptr<PluginInstance>> similarity;
    std::shared_ptr<PluginInstance> splitter;  ///< NULL: nobody shares nodes out
    std::vector<std::shared_ptr<PluginInstance>> group_sources;
};

/// `internal`: a name without an instance, which load_plugins would have refused.
Result<Wiring> wire(const Pipeline& pipeline, const PluginHost& host);

/// What the engine is given for one pass; borrows the watch, and lives no longer than it. [pass
/// thread]
class PassPolicies {
public:
    static Result<PassPolicies> make(const Wiring& wiring, PassWatch& watch);

    const std::vector<engine::Stage>& chain() const noexcept { return chain_; }
    const std::vector<engine::NamedCheck>& similarity() const noexcept { return similarity_; }
    /// Only where the wiring has one.
    engine::Splitter& splitter() const noexcept { return *splitter_; }
    /// All of them, borrowed from this.
    engine::Policies policies() const {
        return {.chain = chain_,
                .similarity = similarity_,
                .splitter = splitter_.get(),
                .group_sources = group_sources_};
    }

private:
    std::vector<std::unique_ptr<engine::Expander>> expanders_;
    std::vector<std::unique_ptr<engine::SimilarityCheck>> checks_;
    std::unique_ptr<engine::Splitter> splitter_;
    std::vector<engine::Stage> chain_;
    std::vector<engine::NamedCheck> similarity_;
    std::vector<std::unique_ptr<engine::GroupSource>> sources_;
    std::vector<engine::NamedSource> group_sources_;
};

}  // namespace capstan::runtime
