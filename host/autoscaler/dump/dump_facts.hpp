/// The facts of a dump that the snapshot's objects do not hold: specs of budgets, pods that are not
/// ready, replicas of controllers, the time of the dump.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "autoscaler/dump/dump_time.hpp"
#include "autoscaler/dump/dumped_objects.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::autoscaler::dump {

/// Reads the objects of a dump one after the other, as raw JSON.
class DumpFacts {
public:
    void add(std::string_view kind, const boost::json::value& object);

    /// Whether the dump has objects of that kind, or says that it asked for them and found none.
    bool has_kind(std::string_view kind) const { return kinds_.contains(kind); }
    /// When the dump was taken; absent: it has no times.
    std::optional<DumpMoment> taken_at() const { return time_.moment(); }
    /// Budgets with a bound that cannot be read, one sentence each.
    const std::vector<std::string>& problems() const noexcept { return problems_; }
    std::vector<Budget> take_budgets() { return std::move(budgets_); }
    /// Adds which pods are not ready, and how many pods controllers want.
    void add_to(Objects& objects);
    /// The key `status` of the ConfigMap of that name; empty: the dump does not have it.
    std::string status(const std::string& config_map) const;
    /// ConfigMaps and Balancers, for plugins that read them through the Kubernetes API, as JSON.
    std::vector<std::string> take_plugin_objects() { return std::move(plugin_objects_); }

private:
    void read_header(const boost::json::value& header);
    void read_pod(const boost::json::value& pod);
    void read_budget(const boost::json::value& budget);
    void read_controller(std::string_view kind, const boost::json::value& controller);
    void read_idle(std::string_view kind, const std::string& id,
                   const kubernetes::JsonCursor& controller);
    void read_config_map(const boost::json::value& config_map);

    std::set<std::string, std::less<>> kinds_;
    DumpTime time_;
    std::vector<std::string> problems_;
    std::vector<Budget> budgets_;
    std::set<std::string, std::less<>> unready_;
    /// By "namespace/kind/name". `id` is that of the owning controller, or the controller's own if
    /// it has no owner.
    std::map<std::string, ScaledController, std::less<>> controllers_;
    std::map<std::string, std::string> statuses_;  ///< by the ConfigMap's name
    std::vector<std::string> plugin_objects_;
    std::vector<IdleWorkload> idle_;
};

/// The kind of the first object in a dump by `capstan dump`. Its creationTimestamp is the time of
/// the dump. It has an annotation for each kind of object: "asked", or why the kind is absent.
inline constexpr std::string_view dump_header_kind = "CapstanDump";
inline constexpr std::string_view asked_for = "asked";

/// The kinds that decisions need and that the dump does not have, as kubectl calls them.
std::vector<std::string> find_absent_kinds(const DumpFacts& facts);
/// "kubectl get nodes,pods,... -A -o json": the command that dumps all kinds that decisions need.
std::string dump_command();

}  // namespace capstan::autoscaler::dump
