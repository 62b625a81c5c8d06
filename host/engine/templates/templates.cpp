#include "engine/templates/templates.hpp"

#include <algorithm>
#include <string_view>

#include "engine/templates/node_taints.hpp"
#include "engine/templates/template_sources.hpp"

namespace capstan::engine::templates {

std::string_view why_no_model(const snapshot::NodeRow& node, const Machine* machine, Time wall) {
    const auto is_deletion = [](const Taint& t) { return is_deletion_taint(t.key); };
    if (!node.ready) return "is not ready";
    if (wall - node.ready_since < settled_after) return "became ready less than 1m ago";
    if (node.unschedulable) return "is cordoned";
    if (std::ranges::any_of(node.taints, is_deletion) ||
        (machine != nullptr && machine->state == MachineState::deleting)) {
        return "is being removed";
    }
    return {};
}

namespace {

class TemplateMaker {
public:
    TemplateMaker(const Snapshot& snapshot, const Membership& membership,
                  const TemplateRecords& records, const Settings& settings, Time wall)
        : snapshot_(snapshot),
          membership_(membership),
          records_(records),
          settings_(settings),
          wall_(wall) {
        if (settings.reserve_from_nodes) learned_ = learn_reserves(snapshot.cluster);
    }

    GroupTemplate make(std::size_t g) const {
        const Group& group = (*snapshot_.groups)[g];
        const std::vector<snapshot::NodeIndex>& nodes = membership_.nodes[g];
        const bool may_look = settings_.template_source == TemplateSource::mixed;
        if (may_look) {
            const auto is_model = [&](snapshot::NodeIndex n) { return why_not(n).empty(); };
            const auto model = std::ranges::find_if(nodes, is_model);
            if (model != nodes.end()) return from_node(group, *model);
            const auto record = records_.find(group.group.id);
            if (record != records_.end() && record->second.observed)
                return from_memory(group, *record->second.observed);
        }
        if (group.described) return from_cloud(group);
        if (may_look && !nodes.empty()) return from_poor_node(group, nodes.front());
        return {.because = why_undescribed(group) +
                           (may_look ? ", and the group has no node to look at" : "")};
    }

private:
    std::string_view why_not(snapshot::NodeIndex n) const {
        return why_no_model(snapshot_.cluster.node(n), find_machine(snapshot_, membership_, n),
                            wall_);
    }
    static std::string why_undescribed(const Group& group) {
        return group.undescribed_because.empty() ? "its cloud describes no new node"
                                                 : group.undescribed_because;
    }
    GroupTemplate from_node(const Group& group, snapshot::NodeIndex n) const {
        return template_from_node(snapshot_.cluster, group, n, settings_);
    }
    GroupTemplate from_poor_node(const Group& group, snapshot::NodeIndex n) const {
        GroupTemplate out = from_node(group, n);
        out.because.append(", which ").append(why_not(n)).append(", since ");
        out.because += why_undescribed(group);
        return out;
    }
    GroupTemplate from_cloud(const Group& group) const {
        return template_from_cloud(snapshot_.cluster, group, learned(), settings_);
    }
    GroupTemplate from_memory(const Group& group, const ObservedNode& observed) const {
        return template_from_memory(snapshot_.cluster, group, observed, learned(), settings_);
    }
    const Reserves* learned() const { return settings_.reserve_from_nodes ? &learned_ : nullptr; }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const TemplateRecords& records_;
    const Settings& settings_;
    Time wall_;
    Reserves learned_;
};

}  // namespace

std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Membership& membership,
                                          const TemplateRecords& records, const Settings& settings,
                                          Time wall) {
    const TemplateMaker maker(snapshot, membership, records, settings, wall);
    std::vector<GroupTemplate> out;
    out.reserve(snapshot.groups->size());
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) out.push_back(maker.make(g));
    return out;
}

std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          Time wall, const TemplateRecords& records) {
    return make_templates(snapshot, make_membership(snapshot), records, settings, wall);
}

}  // namespace capstan::engine::templates
