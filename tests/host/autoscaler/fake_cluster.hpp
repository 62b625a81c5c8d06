/// A cluster that responds immediately with prepared results and records the requests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autoscaler/cluster_client.hpp"

namespace capstan::autoscaler {

struct FakeCluster final : ClusterClient {
    std::map<std::string, Error> errors;          ///< by node or pod; others succeed
    std::map<std::string, Error> recheck_errors;  ///< by node
    std::vector<std::string> requests;            ///< "recheck n1", "change n1", "evict web-1"

    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                 RecheckDone done) override {
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            requests.push_back("recheck " + nodes[at].node);
            const auto error = recheck_errors.find(nodes[at].node);
            done(at, error == recheck_errors.end() ? Result<void>() : fail(error->second));
        }
    }
    void change(const engine::NodeChange& change, Done done) override {
        answer("change ", change.node, done);
    }
    void evict(const engine::Eviction& eviction, Done done) override {
        answer("evict ", eviction.pod, done);
    }

private:
    void answer(const std::string& kind, const std::string& name, const Done& done) {
        requests.push_back(kind + name);
        const auto error = errors.find(name);
        done(error == errors.end() ? Result<void>() : fail(error->second));
    }
};

}  // namespace capstan::autoscaler
