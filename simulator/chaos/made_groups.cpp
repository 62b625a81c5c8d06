#include <set>
#include <string>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

class MadeGroups final : public Invariant {
public:
    std::string_view name() const override { return "groups"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        std::set<NodeGroupId> made;
        for (const engine::GroupCreation& creation : moment.decision().creations) {
            if (!made.insert(creation.group).second)
                out.push_back("group " + creation.group.value() + " is created twice");
            if (moment.find_group(creation.group) != nullptr)
                out.push_back("group " + creation.group.value() + " is created but already exists");
            if (grown_by(moment, creation.group) == 0)
                out.push_back("group " + creation.group.value() + " is created but not grown");
        }
        for (const engine::GroupDeletion& deletion : moment.decision().deletions) {
            if (const std::string why = why_undeletable(moment, deletion.group); !why.empty())
                out.push_back("group " + deletion.group.value() + " is deleted although it " + why);
        }
        return out;
    }

private:
    static int grown_by(const Moment& moment, const NodeGroupId& id) {
        int out = 0;
        for (const engine::Increase& increase : moment.decision().increases)
            out += increase.group == id ? increase.by : 0;
        return out;
    }
    /// Why the group must not be deleted; empty: it may be.
    static std::string why_undeletable(const Moment& moment, const NodeGroupId& id) {
        const engine::Group* const group = moment.find_group(id);
        if (group == nullptr) return "does not exist";
        if (!group->group.autoprovisioned) return "was not created by auto-provisioning";
        if (!group->machines.empty()) return "has machines";
        if (group->group.target.value_or(0) != 0) return "has a target size above 0";
        return grown_by(moment, id) > 0 ? "grows in the same pass" : "";
    }
};

}  // namespace

std::unique_ptr<Invariant> made_groups_invariant() { return std::make_unique<MadeGroups>(); }

}  // namespace capstan::simulator::chaos
