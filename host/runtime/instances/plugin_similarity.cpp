#include <capstan/to_abi.hpp>

#include "io/printable.hpp"
#include "runtime/instances/hook_guard.hpp"
#include "runtime/instances/policies.hpp"

namespace capstan::runtime {

namespace {

constexpr std::size_t reason_limit = 1024;

/// Takes the one answer.
class AnswerSink {
public:
    AnswerSink() {
        raw_ = {sizeof raw_, 0, this,
                [](const capstan_similarity_response* out, std::int32_t verdict,
                   capstan_str because) noexcept {
                    static_cast<AnswerSink*>(out->ctx)->take(verdict, because);
                }};
    }
    AnswerSink(const AnswerSink&) = delete;
    AnswerSink& operator=(const AnswerSink&) = delete;

    const capstan_similarity_response* raw() const noexcept { return &raw_; }
    std::string breach(bool may_decide) const {
        if (answers_ == 0) return "gave no answer";
        if (answers_ > 1) return "gave " + std::to_string(answers_) + " answers";
        if (answer_.verdict == SimilarityVerdict::decided && !may_decide) {
            return "decided, though it does not say that it may decide";
        }
        return {};
    }
    Similarity take_answer() { return std::move(answer_); }

private:
    void take(std::int32_t verdict, capstan_str because) noexcept {
        if (++answers_ > 1) return;
        const bool is_known =
            verdict >= CAPSTAN_SIMILARITY_DIFFERS && verdict <= CAPSTAN_SIMILARITY_DECIDED;
        answer_.verdict =
            is_known ? static_cast<SimilarityVerdict>(verdict) : SimilarityVerdict::differs;
        try {
            answer_.because = io::printable(text(because), reason_limit);
        } catch (...) {  // the verdict counts without its reason
        }
    }

    capstan_similarity_response raw_{};
    int answers_ = 0;
    Similarity answer_;
};

}  // namespace

Result<std::unique_ptr<PluginSimilarity>> PluginSimilarity::make(
    std::shared_ptr<PluginInstance> instance, PassWatch& watch) {
    CAPSTAN_TRY(const auto plugin, PluginPolicy<capstan_similarity>::of(
                                       std::move(instance), CAPSTAN_KIND_SIMILARITY, watch));
    return std::unique_ptr<PluginSimilarity>(new PluginSimilarity(plugin));
}

bool PluginSimilarity::may_decide() const {
    return (plugin_.table().flags & CAPSTAN_SIMILARITY_MAY_DECIDE) != 0;
}

Result<Similarity> PluginSimilarity::similar(const NodeTemplate& a, const NodeTemplate& b,
                                             const engine::Circumstances& circumstances) {
    AbiArena arena;
    const capstan_template left = arena.to_abi(a);
    const capstan_template right = arena.to_abi(b);
    AnswerSink sink;
    const capstan_similarity& table = plugin_.table();
    CAPSTAN_CHECK(call_hook(plugin_.instance(), Hook::similar, circumstances, plugin_.watch(),
                            [&](const capstan_call* call) {
                                return distrusted(table.similar)(table.self, call, &left, &right,
                                                                 sink.raw());
                            }));
    if (const std::string breach = sink.breach(may_decide()); !breach.empty()) {
        return contract_breach(plugin_.instance(), Hook::similar, breach);
    }
    return sink.take_answer();
}

Result<std::uint64_t> PluginSimilarity::bucket(const NodeTemplate& node,
                                               const engine::Circumstances& circumstances) {
    const capstan_similarity& table = plugin_.table();
    if (!CAPSTAN_HAS(&table, capstan_similarity, bucket)) {
        return fail(ErrorCode::unsupported,
                    "plugin " + plugin_.instance().id() + " has no buckets");
    }
    AbiArena arena;
    const capstan_template crossing = arena.to_abi(node);
    std::uint64_t hash = 0;
    CAPSTAN_CHECK(call_hook(plugin_.instance(), Hook::bucket, circumstances, plugin_.watch(),
                            [&](const capstan_call* call) {
                                return distrusted(table.bucket)(table.self, call, &crossing, &hash);
                            }));
    return hash;
}

}  // namespace capstan::runtime
