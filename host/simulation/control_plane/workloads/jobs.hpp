/// Jobs: pods until enough have succeeded, or too many have failed.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation {

/// Pods carry a finalizer until they are counted, so that none is forgotten with its node.
/// [the loop's thread]
class Jobs {
public:
    explicit Jobs(ControlContext& context);

private:
    struct Look;
    /// When a pod of a Job last failed, as of this control plane's life.
    struct Failure {
        std::int64_t count = 0;
        Duration when{};
    };
    void reconcile(const std::string& key);
    void count(const std::string& key, Look& look);
    void decide_end(const std::string& key, Look& look);
    void staff(const std::string& key, const Look& look);
    void shed(const Look& look, std::int64_t surplus);
    void hire(const Look& look, std::int64_t missing);
    void write_counts(const Look& look);
    bool is_counted_by_job(const json::object& pod) const;
    void release(const json::object& pod);
    void expire(const std::string& key, const json::object& job);
    Duration pause_left(const std::string& key) const;

    ControlContext& context_;
    std::map<std::string, Failure> failures_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
