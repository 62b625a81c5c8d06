/// The asynchronous calls of an expander that asks a service.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <capstan/async_expander.hpp>
#include <capstan/pod.hpp>
#include <capstan/result.hpp>
#include <capstan/scale_up_option.hpp>
#include <capstan/time.hpp>

#include "plugin_runtime/instances/instance.hpp"

namespace capstan::plugin_runtime::instances {

/// Calls one asynchronous expander. [any thread]
class ExpanderClient : public std::enable_shared_from_this<ExpanderClient> {
public:
    using Done = std::function<void(Result<KeptOptions>)>;
    struct Question {
        std::uint32_t flags = 0;  ///< CAPSTAN_CALL_*
        std::uint64_t seed = 0;   ///< of the round
        Time now{};               ///< of the pass
        std::vector<ScaleUpOption> options{};
        std::vector<PodEquivalenceGroup> pods{};
        std::uint32_t cluster_nodes = 0;
    };

    /// NULL: the instance is a synchronous expander. `internal`: its table is unusable.
    static Result<std::shared_ptr<ExpanderClient>> of(
        const std::shared_ptr<PluginInstance>& instance);

    /// Ends exactly once, on the host's side (see Strand::post_to_host): with the options that the
    /// plugin keeps, by index, ascending, each once, or with an error that names instance and call.
    void filter(Question question, Done done);
    /// How long one call may take: limits.call_deadline, or five seconds.
    Duration deadline() const;
    const std::shared_ptr<PluginInstance>& instance() const noexcept { return instance_; }

private:
    struct Call;
    ExpanderClient(std::shared_ptr<PluginInstance> instance, const capstan_async_expander& table)
        : instance_(std::move(instance)), table_(table) {}
    void begin(const std::shared_ptr<Call>& call);  ///< on the host's side

    const std::shared_ptr<PluginInstance> instance_;
    const capstan_async_expander& table_;
};

}  // namespace capstan::plugin_runtime::instances
