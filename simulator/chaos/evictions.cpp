#include <map>

#include "simulator/chaos/invariant.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

class Evictions final : public Invariant {
public:
    std::string_view name() const override { return "budgets"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        std::map<std::string, int> asked;
        for (const engine::Eviction& eviction : moment.decision().evictions) {
            const auto pod = find_pod(cluster, eviction);
            if (!pod || cluster.pod(*pod).deleted) continue;
            for (const std::string& budget : budgets_of(cluster, *pod)) ++asked[budget];
        }
        std::vector<std::string> out;
        for (const auto& [name, count] : asked) {
            const int allowed = cluster.objects().budgets.find(name)->second.disruptions_allowed;
            if (count > allowed)
                out.push_back("PodDisruptionBudget " + name + " allows " +
                              counted(allowed, "disruption") + ", but the pass evicts " +
                              counted(count, "pod"));
        }
        return out;
    }

private:
    static std::vector<std::string> budgets_of(const engine::snapshot::Cluster& cluster,
                                               engine::PodIndex pod) {
        const engine::snapshot::PodGroupRow& row =
            cluster.equivalence_group(cluster.equivalence_group_of(pod));
        const Labels labels = engine::snapshot::to_labels(cluster, row.labels);
        std::vector<std::string> out;
        for (const auto& [name, budget] : cluster.objects().budgets) {
            if (budget.ns == cluster.text(row.ns) && budget.selector &&
                matches(*budget.selector, labels))
                out.push_back(name);
        }
        return out;
    }
};

}  // namespace

std::unique_ptr<Invariant> evictions_invariant() { return std::make_unique<Evictions>(); }

}  // namespace capstan::simulator::chaos
