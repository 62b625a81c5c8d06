#include "engine/scale_up/share_out.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace capstan::engine {
namespace {

/// Groups as the splitter sees them, and what each has been given.
class Sharing {
public:
    Sharing(const Scene& scene, const Ledger& ledger, const Option& option)
        : ledger_(ledger), members_(option.similar) {
        members_.insert(std::ranges::lower_bound(members_, option.group), option.group);
        for (const GroupIndex g : members_) {
            NodeGroup group = scene.groups()[g].group;
            *group.target += ledger.grown(g);
            // A splitter wants to know how far it may go; a group that says nothing of a maximum
            // may take all.
            if (!group.max) {
                group.max =
                    std::min(*group.target, std::numeric_limits<int>::max() - option.nodes) +
                    option.nodes;
            }
            groups_.push_back(std::move(group));
        }
        given_.resize(members_.size(), 0);
    }

    std::span<const NodeGroup> groups() const { return groups_; }

    bool is_valid(const std::vector<int>& answer, int nodes) const {
        if (answer.size() != groups_.size()) return false;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < answer.size(); ++i) {
            sum += answer[i];
            const int room = std::max(*groups_[i].max - *groups_[i].target, 0);
            if (answer[i] < 0 || answer[i] > room) return false;
        }
        return sum <= nodes;
    }

    /// What the limits of the cluster leave of it; who cannot take all is full from now on.
    int give(const std::vector<int>& answer) {
        int given = 0;
        for (std::size_t i = 0; i < answer.size(); ++i) {
            const int taken = ledger_.allows(members_[i], answer[i]).nodes;
            if (taken > 0) ledger_.take(members_[i], taken);
            given_[i] += taken;
            given += taken;
            *groups_[i].target += taken;
            if (taken < answer[i]) groups_[i].max = groups_[i].target;
        }
        return given;
    }

    std::vector<Share> shares() const {
        std::vector<Share> out;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (given_[i] > 0) out.push_back({members_[i], given_[i]});
        }
        return out;
    }

private:
    Ledger ledger_;
    std::vector<GroupIndex> members_;
    std::vector<NodeGroup> groups_;
    std::vector<int> given_;
};

SharedOut all_to_own(const Ledger& ledger, const Option& option, std::string note) {
    const int room = std::min(option.nodes, ledger.room(option.group));
    const int nodes = ledger.allows(option.group, room).nodes;
    SharedOut out{.note = std::move(note)};
    if (nodes > 0) out.shares.push_back({option.group, nodes});
    return out;
}

}  // namespace

SharedOut share_out(const Scene& scene, const Ledger& ledger, const Policies& policies,
                    const Circumstances& circumstances, const Option& option) {
    if (option.similar.empty()) return all_to_own(ledger, option, {});
    Sharing sharing(scene, ledger, option);
    for (int left = option.nodes; left > 0;) {
        const auto answer = policies.splitter->split(left, sharing.groups(), circumstances);
        if (!answer) return all_to_own(ledger, option, "splitter: " + answer.error().message);
        if (!sharing.is_valid(*answer, left)) {
            return all_to_own(ledger, option,
                              "splitter: its shares go past a maximum, or are too many");
        }
        const int asked = std::accumulate(answer->begin(), answer->end(), 0);
        const int given = sharing.give(*answer);
        left -= given;
        if (given == asked) break;  // nobody was cut short: what is left, the splitter left
    }
    return {.shares = sharing.shares(), .note = {}};
}

}  // namespace capstan::engine
