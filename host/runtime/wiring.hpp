/// Which instance decides what: the [pipeline] of a configuration, with names become instances.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/pass/outcome.hpp"
#include "runtime/instances/expander_answers.hpp"
#include "runtime/instances/plugin_policies.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime {

/// Immutable and cheap to copy, so that every thread of a pass owns one.
struct Wiring {
    struct Stage {
        std::shared_ptr<instances::PluginInstance> expander;  ///< NULL: `absent`
        engine::StageFallback on_error = engine::StageFallback::skip;
        engine::StageFallback on_empty = engine::StageFallback::skip;
        PluginInstanceId absent{};
    };
    std::vector<Stage> expanders;
    std::vector<std::shared_ptr<instances::PluginInstance>> similarity;
    std::shared_ptr<instances::PluginInstance>
        splitter;  ///< NULL: all nodes go to the option's own group
    std::vector<std::shared_ptr<instances::PluginInstance>> group_sources;
    /// Those of the pipeline that have not started: each is asked all the same, and fails.
    struct Absent {
        std::vector<PluginInstanceId> similarity{};
        std::optional<PluginInstanceId> splitter{};
        std::vector<PluginInstanceId> group_sources{};
    } absent{};
};

/// All that a pass does without because it has not started.
std::vector<instances::SkippedHook> skipped_of(const Wiring& wiring);

/// What becomes of instances that the host does not have.
enum class Missing {
    is_wrong,        ///< all are there
    has_not_started  ///< those of the configuration may come later
};
/// NULL: it has not started. `internal`: there is none, which load_plugins would have refused.
Result<std::shared_ptr<instances::PluginInstance>> find_instance(const PluginHost& host,
                                                                 const PluginInstanceId& id,
                                                                 Missing missing);
/// `internal`: a name without an instance.
Result<Wiring> wire(const config::Pipeline& pipeline, const PluginHost& host,
                    Missing missing = Missing::is_wrong);

/// Asks through `host`, on the thread that uses it.
instances::ExpanderAnswers::Ask asking(PluginHost& host);

/// What the engine is given for one pass; borrows the watch, and lives no longer than it. [pass
/// thread]
class PassPolicies {
public:
    /// `answers` of services to its expanders, which it shares.
    static Result<PassPolicies> make(const Wiring& wiring, instances::PassWatch& watch,
                                     std::shared_ptr<instances::ExpanderAnswers> answers);

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
