#include "plugin_tool/call_controller.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <boost/json/array.hpp>

#include <capstan/ascii.hpp>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/objects/object_kinds.hpp"
#include "plugin_runtime/instances/controller_client.hpp"
#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/local_api.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;

/// Bounds the memory of the cluster, in which each pod is an object.
constexpr std::int64_t pods_max = 20'000;

ControllerRequest::Pods decode_target(const kubernetes::JsonCursor& target) {
    const auto count = [&](const char* key) {
        return target[key].integer(0, pods_max).value_or(0);
    };
    const ControllerRequest::Pods out{
        .total = count("total"), .running = count("running"), .blocked = count("blocked")};
    if (out.running + out.blocked > out.total)
        target.complain("has " + std::to_string(out.total) +
                        " pods in total, but more are running or blocked");
    return out;
}

bool has_target(const json::object& balancer, std::string_view name) {
    return std::ranges::any_of(
        kubernetes::base::list_at(balancer, "spec.targets"), [&](const json::value& each) {
            const json::value* has = kubernetes::base::find_member(each, "name");
            return has != nullptr && has->is_string() && has->as_string() == name;
        });
}

}  // namespace

ControllerRequest decode_controller_request(const kubernetes::JsonCursor& root,
                                            const json::value& document) {
    autoscaler::record::refuse_unknown(root, {"balancer", "targets"});
    ControllerRequest out;
    const kubernetes::JsonCursor balancer = root.required("balancer");
    if (const json::object* whole = document.if_object()) {
        const json::value* given = whole->if_contains("balancer");
        if (given != nullptr && given->is_object()) {
            out.balancer = given->as_object();
        } else if (given != nullptr) {
            balancer.expects("a Balancer object");
        }
    }
    for (const kubernetes::JsonCursor& target : root["targets"].items()) {
        autoscaler::record::refuse_unknown(target, {"name", "total", "running", "blocked"});
        const auto name = target.required("name").name();
        if (!name) continue;
        if (!has_target(out.balancer, *name)) target.complain("is not a target of the Balancer");
        if (!out.targets.emplace(*name, decode_target(target)).second)
            target.complain("is a duplicate");
    }
    return out;
}

namespace {

/// Blocked pods are created in 1900 and are 150 years old: longer than any startup timeout.
constexpr Time long_ago = Time(std::chrono::sys_days(std::chrono::year(1900) / 1 / 1));
constexpr Duration blocked_pod_age = std::chrono::hours(24 * 365) * 150;
/// The most virtual time that a reconcile needs; too short for a new pod to count as blocked.
constexpr Duration settle_time = std::chrono::seconds(30);
constexpr const char* target_label = "capstan.io/target";

using kubernetes::base::find_array;
using kubernetes::base::find_object;
using kubernetes::base::integer_at;
using kubernetes::base::list_at;
using kubernetes::base::text_at;
using kubernetes::objects::group_of;

std::string version_of(const std::string& api_version) {
    return api_version.substr(api_version.find('/') + 1);
}

/// Labels that match the Balancer's own selector; operators other than In and Exists are ignored.
json::object own_labels(const json::object& balancer) {
    json::object out;
    if (const json::object* labels = find_object(balancer, "spec.selector.matchLabels"))
        out = *labels;
    for (const json::value& expression : list_at(balancer, "spec.selector.matchExpressions")) {
        if (!expression.is_object()) continue;
        const std::string_view op = text_at(expression, "operator"),
                               key = text_at(expression, "key");
        const json::array& values = list_at(expression, "values");
        if (op == "In" && !values.empty()) out[key] = values.front();
        if (op == "Exists") out[key] = "";
    }
    return out;
}

/// An API server with the Balancer, its targets and their pods, and the plugin, on virtual time.
/// No other controller runs in this cluster.
class CallCluster {
public:
    explicit CallCluster(ControllerRequest request);
    CallCluster(const CallCluster&) = delete;
    CallCluster& operator=(const CallCluster&) = delete;
    ~CallCluster();

    /// Called once, before the others.
    Result<void> start(const autoscaler::LoadedPlugin& plugin);
    /// Makes the plugin the leader and lets it run for 30 s of virtual time. The error is the
    /// controller's, or `deadline` if no reconcile has ended.
    Result<void> reconcile();
    /// The placement that the Balancer's status has now.
    Result<ControllerAnswer> answer() const;

private:
    struct Target {
        std::string name, api_version, kind, object;
        std::string resource{};  ///< "deployments.apps"; empty: the server does not serve the kind
    };
    struct Parts {
        explicit Parts(io::ManualLoop& loop) : local(loop) {}
        simulator::api_server::LocalApi local;
        std::shared_ptr<plugin_runtime::instances::ControllerClient> controller{};
    };

    void read_targets();
    std::string serve_kind(const Target& target);
    void note(const Result<void>& done);
    void create(std::string_view resource, const std::string& ns, boost::json::object object);
    void create_objects();
    void create_pods(const char* phase, std::int64_t ControllerRequest::Pods::* count);
    void create_pod(const Target& target, const std::string& name, const char* phase);
    std::vector<std::string> grants() const;

    ControllerRequest request_;
    std::string ns_, name_;
    std::vector<Target> targets_;  ///< in the Balancer's order
    std::vector<Error> troubles_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<Parts> parts_;  ///< destroyed before `host_`, whose loop it borrows
};

CallCluster::CallCluster(ControllerRequest request) : request_(std::move(request)) {
    const auto named = [&](const char* key, const char* otherwise) {
        const std::string_view given = text_at(request_.balancer, std::string("metadata.") + key);
        return std::string(given.empty() ? otherwise : given);
    };
    ns_ = named("namespace", "default");
    name_ = named("name", "balancer");
    read_targets();
}

CallCluster::~CallCluster() {
    if (host_ && host_->cluster() != nullptr) host_->cluster()->disconnect();
    if (parts_) parts_->controller.reset();
    // The instance has to stop before the server is destroyed.
    const std::unique_ptr<Parts> parts = std::move(parts_);
    host_.reset();
}

void CallCluster::read_targets() {
    for (const json::value& target : list_at(request_.balancer, "spec.targets")) {
        if (!target.is_object()) continue;
        const auto text = [&](std::string_view path) { return std::string(text_at(target, path)); };
        targets_.push_back({.name = text("name"),
                            .api_version = text("scaleTargetRef.apiVersion"),
                            .kind = text("scaleTargetRef.kind"),
                            .object = text("scaleTargetRef.name")});
    }
}

Result<void> CallCluster::start(const autoscaler::LoadedPlugin& plugin) {
    const auto clock = std::make_shared<io::ManualClock>(long_ago);
    autoscaler::LoadedPlugin granted = plugin;
    granted.config.grants.kube = grants();
    config::Config config;
    config.log.level = config::LogLevel::error;
    CAPSTAN_TRY(host_, autoscaler::PluginHost::start(
                           config, {granted},
                           {.version = CAPSTAN_VERSION, .clock = clock, .has_cluster = true}));
    parts_ = std::make_unique<Parts>(*host_->virtual_loop());
    create_objects();
    create_pods("Pending", &ControllerRequest::Pods::blocked);
    clock->advance_to(clock->monotonic() + blocked_pod_age);
    create_pods("Running", &ControllerRequest::Pods::running);
    for (auto& [name, pods] : request_.targets) pods.total -= pods.running + pods.blocked;
    create_pods("Pending", &ControllerRequest::Pods::total);
    if (!troubles_.empty()) return fail(troubles_.front());
    host_->cluster()->connect(parts_->local.api());
    return {};
}

/// The resource of the target's kind. Defines an unknown kind if it has an API group.
std::string CallCluster::serve_kind(const Target& target) {
    const std::string group(group_of(target.api_version));
    simulator::api_server::LocalApi& local = parts_->local;
    std::string known = local.resource_of(target.api_version, target.kind);
    if (!known.empty() || group.empty() || target.kind.empty()) return known;
    const std::string plural = target.kind + "s";
    note(local.define(group, version_of(target.api_version), lower_case(plural), target.kind));
    return local.resource_of(target.api_version, target.kind);
}

void CallCluster::note(const Result<void>& done) {
    if (!done) troubles_.push_back(done.error());
}

void CallCluster::create(std::string_view resource, const std::string& ns, json::object object) {
    note(parts_->local.create(resource, ns, std::move(object)));
}

void CallCluster::create_objects() {
    note(parts_->local.define("balancer.x-k8s.io", "v1alpha1", "balancers", "Balancer"));
    if (ns_ != "default") create("namespaces", "", {{"metadata", json::object{{"name", ns_}}}});
    for (Target& target : targets_) {
        target.resource = serve_kind(target);
        if (target.resource.empty()) continue;
        const auto pods = request_.targets.find(target.name);
        const std::int64_t total = pods == request_.targets.end() ? 0 : pods->second.total;
        const std::string label = std::to_string(&target - targets_.data());
        const json::object labels{{target_label, label}};
        create(target.resource, ns_,
               {{"metadata", json::object{{"name", target.object}}},
                {"spec", json::object{{"replicas", total},
                                      {"selector", json::object{{"matchLabels", labels}}},
                                      {"template",
                                       json::object{{"metadata", json::object{{"labels", labels}}},
                                                    {"spec", json::object()}}}}},
                {"status", json::object{{"replicas", total},
                                        {"selector", std::string(target_label) + "=" + label}}}});
    }
    json::object balancer = request_.balancer;
    json::object& metadata = kubernetes::base::make_object(balancer, "metadata");
    metadata["name"] = name_;
    metadata["namespace"] = ns_;
    create("balancers.balancer.x-k8s.io", ns_, std::move(balancer));
}

void CallCluster::create_pods(const char* phase, std::int64_t ControllerRequest::Pods::* count) {
    for (const Target& target : targets_) {
        const auto pods = request_.targets.find(target.name);
        if (pods == request_.targets.end()) continue;
        for (std::int64_t i = 0; i < pods->second.*count; ++i)
            create_pod(target, std::to_string(parts_->local.store().revision()), phase);
    }
}

void CallCluster::create_pod(const Target& target, const std::string& name, const char* phase) {
    json::object labels = own_labels(request_.balancer);
    labels[target_label] = std::to_string(&target - targets_.data());
    const json::object container{{"name", "main"}, {"image", "main"}};
    const json::object ready{{"type", "Ready"}, {"status", "True"}};
    create("pods", ns_,
           {{"metadata", json::object{{"name", "pod-" + name}, {"labels", std::move(labels)}}},
            {"spec", json::object{{"containers", json::array{container}}}},
            {"status", json::object{{"phase", phase}, {"conditions", json::array{ready}}}}});
}

/// The requests that a controller of Balancers needs; all others are refused.
std::vector<std::string> CallCluster::grants() const {
    std::set<std::string> out{
        "balancers.balancer.x-k8s.io:get,list,watch,patch/status,update/status",
        "pods:get,list,watch", "events:create"};
    std::set<std::string> plurals{"deployments.apps", "statefulsets.apps", "replicasets.apps",
                                  "replicationcontrollers"};
    for (const Target& target : targets_) {
        std::string plural = target.kind + "s." + std::string(group_of(target.api_version));
        plural = lower_case(plural);
        if (!plural.ends_with('.')) plurals.insert(plural);
    }
    for (const std::string& plural : plurals)
        out.insert(plural + ":get,list,watch,get/scale,update/scale,patch/scale");
    return {out.begin(), out.end()};
}

Result<void> CallCluster::reconcile() {
    CAPSTAN_TRY(parts_->controller,
                plugin_runtime::instances::ControllerClient::of(host_->instances().front()));
    parts_->controller->lead(true);
    host_->virtual_loop()->advance(settle_time);
    const plugin_runtime::instances::ControllerStatus status = parts_->controller->status();
    if (status.error) return fail(*status.error);
    if (!status.last) return fail(ErrorCode::deadline, "the controller did not finish");
    return {};
}

/// The condition's message if the Balancer is invalid. A server with the shipped definition refuses
/// such a Balancer; the controller ignores the invalid parts and writes a condition.
std::optional<Error> find_mistake(const json::object& balancer) {
    for (const json::value& each : list_at(balancer, "status.conditions")) {
        if (text_at(each, "reason") != "SpecChecking") continue;
        return Error{ErrorCode::invalid_argument, std::string(text_at(each, "message"))};
    }
    return std::nullopt;
}

Result<ControllerAnswer> CallCluster::answer() const {
    const auto& store = std::as_const(parts_->local).store();
    const auto balancer = store.find(store.kind("balancers.balancer.x-k8s.io"), ns_, name_);
    if (balancer == nullptr) return fail(ErrorCode::internal, "the Balancer was deleted");
    const json::array* status = find_array(*balancer, "status.targets");
    if (status == nullptr) return fail(ErrorCode::internal, "the controller wrote no status");
    if (const auto mistake = find_mistake(*balancer)) return fail(*mistake);
    ControllerAnswer out{.placement = {},
                         .missing = integer_at(*balancer, "status.missing").value_or(0),
                         .overflow = integer_at(*balancer, "status.overflow").value_or(0)};
    for (const json::value& each : *status) {
        const json::object& target = each.as_object();
        if (!target.contains("desired")) {
            const json::array& conditions = list_at(*balancer, "status.conditions");
            return fail(ErrorCode::invalid_argument,
                        std::string(text_at(conditions.at(0), "message")));
        }
        // The replicas of the target's Scale; of a target without a Scale, the desired replicas.
        const char* const key = target.contains("replicas") ? "replicas" : "desired";
        out.placement.emplace_back(text_at(target, "name"), integer_at(target, key).value_or(0));
    }
    return out;
}

}  // namespace

Result<ControllerAnswer> call_controller(const autoscaler::LoadedPlugin& plugin,
                                         const ControllerRequest& request) {
    CallCluster cluster(request);
    CAPSTAN_CHECK(cluster.start(plugin));
    CAPSTAN_CHECK(cluster.reconcile());
    return cluster.answer();
}

}  // namespace capstan::plugin_tool
