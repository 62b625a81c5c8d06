/// A cluster that answers at once, as it was told to, and keeps what it was asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/cluster_client.hpp"

namespace capstan::runtime {

struct FakeCluster final : ClusterClient {
    std::map<std::string, Error> errors;  ///< by node or pod; the others succeed
    std::vector<std::string> asked;       ///< "change n1", "evict web-1"

    void change(const engine::NodeChange& change, Done done) override {
        answer("change ", change.node, done);
    }
    void evict(const engine::Eviction& eviction, Done done) override {
        answer("evict ", eviction.pod, done);
    }

private:
    void answer(const std::string& kind, const std::string& name, const Done& done) {
        asked.push_back(kind + name);
        const auto error = errors.find(name);
        done(error == errors.end() ? Result<void>() : fail(error->second));
    }
};

}  // namespace capstan::runtime
