#include <map>
#include <string>
#include <vector>

#include "simulator/chaos/invariant.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

class Pods final : public Invariant {
public:
    std::string_view name() const override { return "pods"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        pods_.clear();
        const engine::snapshot::Cluster& cluster = moment.cluster();
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            for (const std::string& node : removal.nodes) {
                const auto index = cluster.find_node(node);
                if (!index) continue;
                for (const engine::PodIndex pod : cluster.pods_on(*index))
                    if (counts(cluster, pod, moment.settings()))
                        pods_[node].push_back(name_of_pod(cluster, pod));
            }
        }
        return {};
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        std::vector<std::string> out;
        for (const RemovedMachine& removed : find_removed(decision, results)) {
            const auto pods = pods_.find(removed.node);
            if (pods == pods_.end()) continue;
            for (const std::string& pod : pods->second)
                out.push_back("the machine of node " + removed.node + " was removed while pod " +
                              pod + " was running on it");
        }
        return out;
    }

private:
    /// The pods that count, by node, of the nodes whose removal the last pass asked for.
    std::map<std::string, std::vector<std::string>> pods_;
};

}  // namespace

std::unique_ptr<Invariant> pods_invariant() { return std::make_unique<Pods>(); }

}  // namespace capstan::simulator::chaos
