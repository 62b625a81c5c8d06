/// The watches of the controller: on Balancers, on pods, and on the kinds of the targets.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/kube.hpp>

#include "balancer_cache.hpp"
#include "pods.hpp"

namespace capstan::replicas {

/// The resource `balancers.balancer.x-k8s.io`.
KubeResource balancer_resource();

/// Keeps Balancers and pods as the cluster has them, and marks the Balancers that an event concerns
/// dirty. [strand]
class Informers {
public:
    struct Options {
        std::string ns{};                 ///< empty: all
        std::function<void()> on_news{};  ///< an entry became dirty, or a watch began or failed
        std::function<void(const Entry&)> on_gone{};  ///< a Balancer was deleted
    };
    Informers(Host host, Options options);
    Informers(const Informers&) = delete;
    Informers& operator=(const Informers&) = delete;

    /// Throws a Failure where the host refuses.
    void start();
    void stop();
    /// Watches objects of that kind from now on, too. Does nothing where the grant is missing or
    /// the instance has no watch left; the resync then finds their changes.
    void follow(const KubeResource& targets);

    BalancerCache& cache() noexcept { return cache_; }
    const BalancerCache& cache() const noexcept { return cache_; }
    const Pods& pods() const noexcept { return pods_; }
    /// Whether the first lists of Balancers and of pods are complete.
    bool is_complete() const noexcept { return has_balancers_ && has_pods_; }
    /// The watches of Balancers and pods that fail at present, and why.
    std::vector<Error> problems() const;

private:
    struct Targets {
        KubeWatch watch;
        bool has_synced = false;
        std::map<std::string, std::string> replicas{};  ///< by namespace and name, as text
    };
    void on_balancer_event(const KubeEvent& event);
    void on_pod_event(const KubeEvent& event);
    void on_target_event(const KubeResource& resource, const KubeEvent& event);
    /// Whether the event is about an object. False: it was the end of the first list or a failure
    /// of the watch, and has been dealt with.
    bool is_of_object(const std::string& plural, bool& is_complete, const KubeEvent& event);

    Host host_;
    const Options options_;
    BalancerCache cache_;
    Pods pods_;
    bool has_balancers_ = false, has_pods_ = false;
    std::map<std::string, std::string> problems_;  ///< by plural
    std::optional<KubeWatch> balancers_, all_pods_;
    std::map<std::string, std::unique_ptr<Targets>> targets_;  ///< by group and plural
};

}  // namespace capstan::replicas
