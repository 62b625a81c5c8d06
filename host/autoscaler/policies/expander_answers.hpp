/// The answers of services to the expanders of a pass. They are part of the pass's input, so that a
/// replay has the same decision without the services.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <capstan/async_expander.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "engine/policies.hpp"
#include "plugin_runtime/instances/expander_client.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::autoscaler::policies {

/// One answer. Instance, seed and groups together identify the question: each round of a pass has
/// its own seed.
struct ExpanderAnswer {
    PluginInstanceId instance{};
    std::uint64_t seed = 0;
    std::vector<NodeGroupId> groups{};     ///< of the options in the question, by id
    std::vector<NodeGroupId> kept{};       ///< of the options that were kept, by id
    std::vector<std::string> sentences{};  ///< the service's own explanation
    std::optional<Error> error{};          ///< with an error no option is kept
    bool operator==(const ExpanderAnswer&) const = default;
};

/// The answers of one pass, kept when the pass is run again. [pass thread]
class ExpanderAnswers {
public:
    /// Asks and waits for the answer. [watching thread]
    using Ask = std::function<Result<KeptOptions>(
        const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
        plugin_runtime::instances::ExpanderClient::Question question)>;
    /// A question with an answer in `known` is not asked. Without `ask` no question is asked.
    explicit ExpanderAnswers(std::vector<ExpanderAnswer> known = {}, Ask ask = {})
        : known_(std::move(known)), ask_(std::move(ask)) {}
    ExpanderAnswers(const ExpanderAnswers&) = delete;
    ExpanderAnswers& operator=(const ExpanderAnswers&) = delete;

    /// The answer of `expander` about the options `among`. The expander is not asked again in this
    /// pass after an error that is neither `invalid_argument` nor `internal`, nor once its calls
    /// have together taken twice the time limit of one call.
    const ExpanderAnswer& answer(
        const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
        const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among,
        const engine::CallContext& call_context, plugin_runtime::instances::PassWatch& watch);
    /// All answers: the ones given to the constructor, then those of this pass in the order of the
    /// questions.
    const std::vector<ExpanderAnswer>& known() const noexcept { return known_; }

private:
    const ExpanderAnswer* find(const ExpanderAnswer& asked) const;
    std::optional<Error> find_outage(const PluginInstanceId& instance) const;
    void ask(const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
             const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among,
             const engine::CallContext& call_context, plugin_runtime::instances::PassWatch& watch,
             ExpanderAnswer& answer);

    std::vector<ExpanderAnswer> known_;
    const Ask ask_;
    std::map<PluginInstanceId, Duration> waited_{};  ///< for the answers of an instance
};

/// The expander of `instance`, be it synchronous or asynchronous. `internal`: the instance is no
/// expander. Borrows the watch.
Result<std::unique_ptr<engine::Expander>> make_expander(
    const std::shared_ptr<plugin_runtime::instances::PluginInstance>& instance,
    plugin_runtime::instances::PassWatch& watch, std::shared_ptr<ExpanderAnswers> answers);

}  // namespace capstan::autoscaler::policies
