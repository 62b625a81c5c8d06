/// Chooses one of several ways to grow by asking expanders in order, each narrowing what the one
/// before left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/policies.hpp"

namespace capstan::engine {

/// What becomes of a stage that fails, or keeps nothing.
enum class StageFallback {
    skip,  ///< its input passes on, as if it were not there
    fail,  ///< no scale-up in this pass, and the reason is said
};

struct Stage {
    std::string name;
    Expander* expander = nullptr;  ///< borrowed; outlives the chain
    StageFallback on_error = StageFallback::skip;
    StageFallback on_empty = StageFallback::skip;
};

/// What one stage was shown and what it made of it.
struct StageVerdict {
    std::string stage;
    std::size_t shown = 0;
    std::vector<NodeGroupId> kept;       ///< by id
    std::vector<std::string> sentences;  ///< the expander's own
    std::optional<Error> error;
    std::string summary;  ///< "least_waste: keeps 2 of 5: web-a, web-b"
};

/// The choice with its reasons. Nothing is chosen when there was nothing to choose from, or a stage
/// whose fallback is `fail` failed; `because` says which.
struct Choice {
    std::optional<std::uint32_t> option;  ///< index into the question's options
    std::string because;
    std::vector<StageVerdict> stages;  ///< those that were asked, in order
};

/// Stops as soon as one option is left. What is still tied after the last stage falls to the lowest
/// group id.
///     least_waste keeps b, c; random keeps c                ->  c
///     least_waste fails, on_error = skip; most_pods keeps a  ->  a
Choice choose(const std::vector<Stage>& chain, const ScaleUpQuestion& question,
              const Circumstances& circumstances);

}  // namespace capstan::engine
