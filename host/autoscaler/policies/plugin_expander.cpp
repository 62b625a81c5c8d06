#include <cmath>
#include <optional>

#include "autoscaler/policies/pass_call.hpp"
#include "autoscaler/policies/plugin_policies.hpp"
#include "plugin_runtime/instances/abi_options.hpp"
#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::autoscaler::policies {

namespace {

/// Takes the options that the plugin keeps, and remembers the first breach of the contract.
class KeepSink {
public:
    explicit KeepSink(std::size_t options) : scores_(options) {
        raw_ = {
            sizeof raw_, 0, this,
            [](const capstan_expander_response* out, std::uint32_t option, double score) noexcept {
                static_cast<KeepSink*>(out->ctx)->keep(option, score);
            }};
    }
    KeepSink(const KeepSink&) = delete;
    KeepSink& operator=(const KeepSink&) = delete;

    const capstan_expander_response* raw() const noexcept { return &raw_; }
    std::string breach() const {
        const std::string of = " of " + std::to_string(scores_.size());
        if (missing_) return "kept option " + std::to_string(*missing_) + of;
        if (no_number_)
            return "gave option " + std::to_string(*no_number_) + of +
                   " a score that is not a number";
        return {};
    }
    /// By position among the options of the question; absent: the option is not kept.
    const std::vector<std::optional<double>>& scores() const noexcept { return scores_; }

private:
    void keep(std::uint32_t option, double score) noexcept {
        if (option >= scores_.size()) {
            if (!missing_) missing_ = option;
        } else if (std::isnan(score)) {
            if (!no_number_) no_number_ = option;
        } else {
            scores_[option] = score;
        }
    }

    capstan_expander_response raw_{};
    std::vector<std::optional<double>> scores_;
    std::optional<std::uint32_t> missing_;
    std::optional<std::uint32_t> no_number_;
};

}  // namespace

Result<std::unique_ptr<PluginExpander>> PluginExpander::make(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
    plugin_runtime::instances::PassWatch& watch) {
    CAPSTAN_TRY(const auto plugin, PluginPolicy<capstan_expander>::of(
                                       std::move(instance), CAPSTAN_KIND_EXPANDER, watch));
    return std::unique_ptr<PluginExpander>(new PluginExpander(plugin));
}

Result<engine::FilterResult> PluginExpander::filter(const engine::ScaleUpQuestion& question,
                                                    std::span<const std::uint32_t> among,
                                                    const engine::CallContext& call_context) {
    const plugin_runtime::instances::AbiOptions crossing(question.options, question.pods,
                                                         question.cluster_nodes, among);
    KeepSink sink(among.size());
    const capstan_expander& table = plugin_.table();
    CAPSTAN_TRY(std::vector<std::string> sentences,
                call_hook(plugin_.instance(), plugin_runtime::loop::Hook::filter,
                          call_of(call_context), plugin_.watch(), [&](const capstan_call* call) {
                              return plugin_runtime::loop::distrusted(table.filter)(
                                  table.self, call, &crossing.in, sink.raw());
                          }));
    if (const std::string breach = sink.breach(); !breach.empty()) {
        return contract_breach(plugin_.instance(), plugin_runtime::loop::Hook::filter, breach);
    }
    engine::FilterResult out{.kept = {}, .sentences = std::move(sentences)};
    for (std::size_t i = 0; i < among.size(); ++i) {
        if (const auto& score = sink.scores()[i]; score) out.kept.push_back({among[i], *score});
    }
    return out;
}

}  // namespace capstan::autoscaler::policies
