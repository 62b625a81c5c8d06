#include "engine/scale_up/expander_chain.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::engine {
namespace {

using Indices = std::vector<std::uint32_t>;

const NodeGroupId& id_of(const ScaleUpQuestion& question, std::uint32_t option) {
    return question.options[option].group.id;
}

/// Where the ids of groups that are there and of others were compared, which ones counted.
std::string among_existing(const ScaleUpQuestion& question, const Indices& left) {
    const auto exists = [&](std::uint32_t i) { return question.options[i].group_exists; };
    const bool both = std::ranges::any_of(left, exists) && !std::ranges::all_of(left, exists);
    return both ? " whose group exists" : "";
}

/// One pass through a stage: narrows `left`, or says why the chain must end.
struct Round {
    const ScaleUpQuestion& question;
    const Circumstances& circumstances;
    Indices left;
    Choice choice;

    bool ask(const Stage& stage);

private:
    bool give_up_or_skip(const Stage& stage, StageFallback fallback, StageVerdict verdict,
                         std::string what);
};

bool Round::give_up_or_skip(const Stage& stage, StageFallback fallback, StageVerdict verdict,
                            std::string what) {
    const bool fails = fallback == StageFallback::fail;
    verdict.summary = stage.name + ": " + std::move(what) + (fails ? "; no scale-up" : "; skipped");
    if (fails) choice.because = verdict.summary;
    choice.stages.push_back(std::move(verdict));
    return !fails;
}

bool Round::ask(const Stage& stage) {
    StageVerdict verdict{.stage = stage.name,
                         .shown = left.size(),
                         .kept = {},
                         .sentences = {},
                         .error = {},
                         .summary = {}};
    Result<Narrowing> answer = stage.expander->filter(question, left, circumstances);
    if (!answer) {
        verdict.error = answer.error();
        std::string what = "failed: " + answer.error().message;
        return give_up_or_skip(stage, stage.on_error, std::move(verdict), std::move(what));
    }
    verdict.sentences = std::move(answer->sentences);
    if (answer->kept.empty()) {
        return give_up_or_skip(stage, stage.on_empty, std::move(verdict),
                               "keeps none of " + std::to_string(left.size()));
    }
    left.clear();
    for (const Narrowing::Kept& kept : answer->kept) {
        left.push_back(kept.option);
        verdict.kept.push_back(id_of(question, kept.option));
    }
    verdict.summary = stage.name + ": keeps " + std::to_string(left.size()) + " of " +
                      std::to_string(verdict.shown) + ": " +
                      listed(verdict.kept, [](const NodeGroupId& id) { return id.value(); });
    choice.stages.push_back(std::move(verdict));
    return true;
}

}  // namespace

Choice choose(const std::vector<Stage>& chain, const ScaleUpQuestion& question,
              const Circumstances& circumstances) {
    Choice none;
    none.because = "there is no option to choose from";
    if (question.options.empty()) return none;

    Round round{question, circumstances, Indices(question.options.size()), {}};
    std::iota(round.left.begin(), round.left.end(), 0u);
    for (const Stage& stage : chain) {
        if (round.left.size() == 1) break;
        if (!round.ask(stage)) return std::move(round.choice);
    }

    Choice& choice = round.choice;
    // What has to be made first comes after what is there.
    choice.option = *std::ranges::min_element(round.left, {}, [&](std::uint32_t i) {
        return std::pair(!question.options[i].group_exists, id_of(question, i));
    });
    const std::string& group = id_of(question, *choice.option).value();
    if (question.options.size() == 1) {
        choice.because = group + " is the only option";
    } else if (round.left.size() > 1) {
        choice.because = group + " has the lowest id of " + std::to_string(round.left.size()) +
                         " options still tied" + among_existing(question, round.left);
    } else {
        choice.because = group + " is what " + choice.stages.back().stage + " left of " +
                         std::to_string(choice.stages.back().shown) + " options";
    }
    return std::move(choice);
}

}  // namespace capstan::engine
