#include "engine/scale_up/question.hpp"

#include <string_view>

#include <capstan/hash.hpp>

namespace capstan::engine {
namespace {

/// The name alone of "namespace/name".
std::string_view name_in(std::string_view example) { return example.substr(example.find('/') + 1); }

/// The seed of a process alone would draw the same in each pass. A count of passes would tie the
/// draw to passes that come to nothing, and those may be left out.
std::uint64_t seed_of(const Circumstances& circumstances, std::int64_t round) {
    Hash hash;
    hash.add(static_cast<std::int64_t>(circumstances.seed));
    hash.add(std::int64_t{circumstances.now.time_since_epoch().count()});
    hash.add(round);
    return hash.value();
}

}  // namespace

Question::Question(const Scene& scene, const Policies& policies, const Circumstances& circumstances,
                   const std::vector<int>& pods)
    : scene_(&scene), policies_(&policies), circumstances_(circumstances), places_(pods.size(), 0) {
    for (Subject s = 0; s < pods.size(); ++s) {
        if (pods[s] == 0) continue;
        places_[s] = static_cast<std::uint32_t>(subjects_.size());
        subjects_.push_back(s);
    }
    question_.cluster_nodes = static_cast<std::uint32_t>(scene.snapshot->cluster.node_count());
}

void Question::describe_pods(const std::vector<int>& pods) {
    if (question_.pods.empty()) {
        for (const Subject s : subjects_) {
            const PodCount& of_class = scene_->pending.classes[s];
            question_.pods.push_back(describe(scene_->snapshot->cluster, of_class.equivalence_group,
                                              name_in(of_class.example), of_class.count));
        }
    }
    for (std::size_t place = 0; place < subjects_.size(); ++place) {
        question_.pods[place].count = static_cast<std::uint32_t>(pods[subjects_[place]]);
    }
}

ScaleUpOption Question::describe_option(const Option& option, const Ledger& ledger) const {
    const Group& group = scene_->groups()[option.group];
    ScaleUpOption out;
    out.group = group.group;
    *out.group.target += ledger.grown(option.group);
    out.node = scene_->templates[option.group].node;
    out.nodes = option.nodes;
    out.pods = option.prospect->shares;
    out.requested = option.prospect->requested;
    out.pod_count = option.prospect->pods;
    for (const GroupIndex other : option.similar) out.similar.push_back(scene_->id(other));
    out.price_per_hour = group.price_per_hour;
    out.group_exists = group.plan == nullptr;
    return out;
}

Choice Question::ask(const std::vector<Option>& options, const std::vector<int>& pods,
                     const Ledger& ledger) {
    question_.options.clear();
    for (const Option& option : options) {
        question_.options.push_back(describe_option(option, ledger));
    }
    if (options.size() > 1 && !policies_->chain.empty()) describe_pods(pods);
    Circumstances circumstances = circumstances_;
    circumstances.seed = seed_of(circumstances_, round_++);
    return choose(policies_->chain, question_, circumstances);
}

}  // namespace capstan::engine
