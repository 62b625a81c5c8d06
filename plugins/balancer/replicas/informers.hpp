/// What the controller follows: Balancers, pods, and the kinds that targets are of.
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

/// Balancers' own.
KubeResource balancer_resource();

/// Keeps Balancers and pods as the cluster has them. [strand]
class Informers {
public:
    struct Options {
        std::string ns{};                 ///< empty: all
        std::function<void()> on_news{};  ///< an entry is dirty
        std::function<void(const Entry&)> on_gone{};
    };
    Informers(Host host, Options options);
    Informers(const Informers&) = delete;
    Informers& operator=(const Informers&) = delete;

    /// Throws a Failure where the host refuses.
    void start();
    void stop();
    /// Follows such objects from now on, too, where that is granted and there is room.
    void follow(const KubeResource& targets);

    BalancerCache& book() noexcept { return book_; }
    const BalancerCache& book() const noexcept { return book_; }
    const Pods& pods() const noexcept { return pods_; }
    /// Everything there is has been seen once.
    bool is_complete() const noexcept { return has_balancers_ && has_pods_; }
    /// What cannot be followed at present, and why.
    std::vector<Error> problems() const;

private:
    struct Targets {
        KubeWatch watch;
        bool has_synced = false;
        std::map<std::string, std::string> replicas{};  ///< by namespace and name, as text
    };
    void hear_balancer(const KubeEvent& event);
    void hear_pod(const KubeEvent& event);
    void hear_target(const KubeResource& resource, const KubeEvent& event);
    /// False: the event is of no object, and has been dealt with.
    bool is_of_object(const std::string& plural, bool& is_complete, const KubeEvent& event);

    Host host_;
    const Options options_;
    BalancerCache book_;
    Pods pods_;
    bool has_balancers_ = false, has_pods_ = false;
    std::map<std::string, std::string> trouble_;  ///< by plural
    std::optional<KubeWatch> balancers_, all_pods_;
    std::map<std::string, std::unique_ptr<Targets>> targets_;  ///< by group and plural
};

}  // namespace capstan::replicas
