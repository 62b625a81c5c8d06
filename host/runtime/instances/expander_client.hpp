/// An expander that asks a service, asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <capstan/async_expander.hpp>

#include "engine/policies.hpp"
#include "runtime/instances/instance.hpp"

namespace capstan::runtime::instances {

/// The asynchronous side of one expander. [any thread]
class ExpanderClient : public std::enable_shared_from_this<ExpanderClient> {
public:
    using Done = std::function<void(Result<KeptOptions>)>;
    struct Question {
        std::uint32_t flags = 0;  ///< CAPSTAN_CALL_*
        std::uint64_t seed = 0;   ///< of the round
        Time now{};               ///< of the pass
        engine::ScaleUpQuestion asked{};
    };

    /// NULL: the instance answers by itself. `internal`: its table is unusable.
    static Result<std::shared_ptr<ExpanderClient>> of(
        const std::shared_ptr<PluginInstance>& instance);

    /// Ends exactly once, on the host's side (see Strand::post_to_host), with what the plugin keeps
    /// or with an error that names instance and call. Options are kept by index, ascending, each
    /// once.
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

}  // namespace capstan::runtime::instances
