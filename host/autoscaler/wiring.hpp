/// The [pipeline] of a configuration with its names resolved to instances: which instance is called
/// for which decision.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/policies/expander_answers.hpp"
#include "autoscaler/policies/plugin_policies.hpp"
#include "engine/pass/outcome.hpp"

namespace capstan::autoscaler {

/// Immutable and cheap to copy: every thread of a pass has its own copy.
struct Wiring {
    struct Stage {
        /// NULL: it has not started; `absent` is its id then.
        std::shared_ptr<plugin_runtime::instances::PluginInstance> expander;
        engine::StageFallback on_error = engine::StageFallback::skip;
        engine::StageFallback on_empty = engine::StageFallback::skip;
        PluginInstanceId absent{};
    };
    std::vector<Stage> expanders;
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> similarity;
    /// NULL: all nodes go to the option's own group.
    std::shared_ptr<plugin_runtime::instances::PluginInstance> splitter;
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> group_sources;
    /// Instances of the pipeline that have not started. Each of their calls fails.
    struct Absent {
        std::vector<PluginInstanceId> similarity{};
        std::optional<PluginInstanceId> splitter{};
        std::vector<PluginInstanceId> group_sources{};
    } absent{};
};

/// A SkippedHook of `start` for each instance of the wiring that has not started.
std::vector<plugin_runtime::instances::SkippedHook> skipped_of(const Wiring& wiring);

/// How to treat an instance that the host does not have.
enum class Missing {
    is_wrong,        ///< it is an error
    has_not_started  ///< an instance of the configuration may start later
};
/// NULL: the instance has not started. `internal`: the configuration has no instance of that name;
/// load_plugins refuses such a configuration.
Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> find_instance(
    const PluginHost& host, const PluginInstanceId& id, Missing missing);
/// `internal`: a name without an instance.
Result<Wiring> wire(const config::Pipeline& pipeline, const PluginHost& host,
                    Missing missing = Missing::is_wrong);

/// Asks the services of expanders through `host`, on the thread that uses the host.
policies::ExpanderAnswers::Ask asking(PluginHost& host);

/// The policies of one pass, which the engine calls. Borrows the watch. [pass thread]
class PassPolicies {
public:
    /// `answers`: the answers of services to expanders, shared.
    static Result<PassPolicies> make(const Wiring& wiring,
                                     plugin_runtime::instances::PassWatch& watch,
                                     std::shared_ptr<policies::ExpanderAnswers> answers);

    const std::vector<engine::Stage>& chain() const noexcept { return chain_; }
    const std::vector<engine::NamedCheck>& similarity() const noexcept { return similarity_; }
    /// Only to be called if the wiring has a splitter.
    engine::Splitter& splitter() const noexcept { return *splitter_; }
    /// All policies, borrowed from this object.
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

}  // namespace capstan::autoscaler
