#include "balanced_cluster.hpp"

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "commands/crd.hpp"
#include "permissions.hpp"

namespace capstan::balancer {
namespace {

using namespace simulator;
using namespace simulator::api_server;
using namespace simulator::control_plane;
using namespace std::chrono_literals;

/// 2026-11-21T10:00:00Z
constexpr Time start = time_from_unix_ns(1'795'255'200'000'000'000);
constexpr const char* space = "default";

constexpr const char* config = R"(
[admin]
listen = ""
[log]
level = "error"
[pipeline]
controllers = ["replicas"]
[plugin.replicas]
grants = { kube = ["balancers.balancer.x-k8s.io:list,watch,patch/status", "pods:list,watch",
    "deployments.apps:list,watch,get/scale,update/scale", "events:create"] }
)";

constexpr const char* kubeconfig = R"({"apiVersion":"v1","kind":"Config","current-context":"c",
"clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";

std::string deployment(const std::string& zone) {
    const std::string labels = R"({"app":"web","zone":")" + zone + R"("})";
    return R"({"metadata":{"name":"web-)" + zone +
           R"("},"spec":{"replicas":0,"selector":{"matchLabels":)" + labels +
           R"(},"template":{"metadata":{"labels":)" + labels +
           R"(},"spec":{"nodeSelector":{"zone":")" + zone +
           R"("},"containers":[{"name":"web","image":"web","resources":{"requests":{"cpu":"100m"}}}]}}}})";
}

std::string node(const std::string& zone) {
    const std::string capacity = R"({"cpu":"64","memory":"256Gi","pods":"200"})";
    return R"({"metadata":{"name":")" + zone + R"(","labels":{"zone":")" + zone +
           R"("}},"status":{"capacity":)" + capacity + R"(,"allocatable":)" + capacity + "}}";
}

}  // namespace

BalancedCluster::BalancedCluster() {
    const std::filesystem::path access = folder_.path() / "kubeconfig";
    std::ofstream(access) << kubeconfig;
    assembly_ = std::make_unique<autoscaler::Assembly>("[cluster]\nkubeconfig = \"" +
                                                       access.string() + "\"\n" + config);
    if (!assembly_->diagnostics().empty())
        throw std::invalid_argument(assembly_->diagnostics().text());
    auto host = autoscaler::PluginHost::start(assembly_->config(), assembly_->plugins(),
                                              {.seed = 1,
                                               .version = "test",
                                               .clock = std::make_shared<io::ManualClock>(start),
                                               .has_cluster = true});
    if (!host) throw std::runtime_error(host.error().message);
    host_ = *std::move(host);
    store_ = std::make_unique<simulator::api_server::ObjectStore>(loop(), ObjectStore::Options{});
    server_ = std::make_unique<simulator::api_server::ApiServer>(*store_);
    control_plane_ = std::make_unique<simulator::control_plane::ControlPlane>(*store_);
    network_ = std::make_unique<simulator::api_server::LocalHttpClient>(
        *server_, loop(), [this](const io::ServedRequest& request) {
            const std::string permission = permission_of(request.method, request.target);
            if (!permission.empty()) permissions_.insert(permission);
        });
    create_objects();
    control_plane_->start();
    watch_sizes();
}

BalancedCluster::~BalancedCluster() = default;

void BalancedCluster::create(const char* resource, const char* ns, const std::string& json) {
    const auto made = store_->create(store_->kind(resource), ns, json::parse(json).as_object(),
                                     {.part = ObjectPart::everything});
    if (!made) throw std::runtime_error(std::string(resource) + ": " + made.error().message);
}

void BalancedCluster::create_objects() {
    const auto definition = commands::parse_definition(commands::balancer_definition);
    if (!definition) throw std::runtime_error(definition.error().message);
    create("customresourcedefinitions.apiextensions.k8s.io", "", json::serialize(*definition));
    host_->virtual_loop()->settle();
    for (const char* zone : {"a", "b"}) {
        create("nodes", "", node(zone));
        create("deployments.apps", space, deployment(zone));
    }
}

void BalancedCluster::watch_sizes() {
    const auto record = [this](const Change& change) {
        const auto now = integer_at(*change.object, "spec.replicas").value_or(0);
        const auto before =
            change.before ? integer_at(*change.before, "spec.replicas").value_or(0) : 0;
        const auto seconds =
            std::chrono::duration_cast<std::chrono::seconds>(loop().clock()->now() - start).count();
        if (now != before)
            timeline_.push_back(std::to_string(seconds) + "s " +
                                std::string(text_at(*change.object, "metadata.name")) + " " +
                                std::to_string(before) + "->" + std::to_string(now));
    };
    size_subscription_ = *store_->subscribe(store_->kind("deployments.apps"), store_->revision(),
                                            {.changed = record});
}

void BalancedCluster::balance(int replicas, const std::string& policy) {
    create("balancers.balancer.x-k8s.io", space,
           R"({"metadata":{"name":"web"},"spec":{"replicas":)" + std::to_string(replicas) +
               R"(,"selector":{"matchLabels":{"app":"web"}},"targets":[
        {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web-a"}},
        {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web-b"}}],
        "policy":)" +
               policy + "}}");
}

void BalancedCluster::fail_zone(const std::string& zone) {
    std::ignore = store_->edit(store_->kind("nodes"), "", zone, [](json::object& node) {
        set_value(node, "spec.unschedulable", true);
    });
    for (const ApiObject& pod : store_->list(store_->kind("pods"), space).items) {
        if (text_at(*pod, "spec.nodeName") == zone)
            std::ignore = store_->remove(store_->kind("pods"), space,
                                         text_at(*pod, "metadata.name"), {.grace_s = 0});
    }
}

void BalancedCluster::restore_zone(const std::string& zone) {
    std::ignore = store_->edit(store_->kind("nodes"), "", zone, [](json::object& node) {
        set_value(node, "spec.unschedulable", false);
    });
}

void BalancedCluster::add_stuck_pod(const std::string& zone) {
    create(
        "pods", space,
        R"({"metadata":{"name":"stuck-)" + zone + R"(","labels":{"app":"web","zone":")" + zone +
            R"("}},"spec":{"containers":[{"name":"web","image":"web","resources":{"requests":{"cpu":"100"}}}]}})");
}

json::object BalancedCluster::send(const std::string& method, const std::string& path,
                                   const std::string& body) {
    const auto reply = server_->answer({.method = method,
                                        .target = path,
                                        .headers = {{"content-type", "application/json"}},
                                        .body = body});
    if (!reply || reply->status >= 300)
        throw std::runtime_error(path + ": " + (reply ? reply->body : "no reply"));
    return json::parse(reply->body).as_object();
}

constexpr const char* scale_path =
    "/apis/balancer.x-k8s.io/v1alpha1/namespaces/default/balancers/web/scale";

json::object BalancedCluster::get_scale() { return send("GET", scale_path); }

json::object BalancedCluster::scale(int replicas) {
    json::object before = get_scale();
    json::object after = before;
    set_value(after, "spec.replicas", replicas);
    send("PUT", scale_path, json::serialize(after));
    return before;
}

void BalancedCluster::at(Duration when, std::function<void()> what) {
    loop().after(start + when - loop().clock()->now(), std::move(what));
}

void BalancedCluster::run(Duration duration) {
    at(duration, [] { std::raise(SIGTERM); });
    const auto loaded =
        std::make_shared<autoscaler::daemon::LoadedConfig>(autoscaler::daemon::LoadedConfig{
            .config = assembly_->config(), .plugins = assembly_->plugins()});
    const Result<void> ended = autoscaler::daemon::run_daemon(
        loaded, *host_,
        {.version = "test",
         .identity = "tester",
         .seed = 1,
         .on_overdue = [] { throw std::runtime_error("the daemon does not stop in time"); },
         .http = network_.get()});
    if (!ended) throw std::runtime_error(ended.error().message);
}

int BalancedCluster::size(const std::string& deployment) {
    const ApiObject found = store_->find(store_->kind("deployments.apps"), space, deployment);
    return static_cast<int>(
        simulator::api_server::integer_at(*found, "spec.replicas").value_or(-1));
}

int BalancedCluster::ready(const std::string& deployment) {
    const ApiObject found = store_->find(store_->kind("deployments.apps"), space, deployment);
    return static_cast<int>(
        simulator::api_server::integer_at(*found, "status.readyReplicas").value_or(0));
}

std::string BalancedCluster::sizes() {
    std::string out;
    for (const char* zone : {"a", "b"}) {
        const std::string name = std::string("web-") + zone;
        out += std::string(out.empty() ? "" : " ") + zone + " " + std::to_string(ready(name)) +
               "/" + std::to_string(size(name));
    }
    return out;
}

json::object BalancedCluster::status() {
    const ApiObject found = store_->find(store_->kind("balancers.balancer.x-k8s.io"), space, "web");
    const json::object* status = simulator::api_server::find_object(*found, "status");
    return status != nullptr ? *status : json::object();
}

std::string BalancedCluster::condition(const std::string& type) {
    const json::object now = status();
    const json::array* conditions = simulator::api_server::find_array(now, "conditions");
    if (conditions == nullptr) return "";
    for (const json::value& each : *conditions) {
        if (simulator::api_server::text_at(each.as_object(), "type") == type)
            return std::string(text_at(each.as_object(), "status"));
    }
    return "";
}

std::vector<std::string> BalancedCluster::event_messages(const std::string& reason) {
    std::vector<std::string> out;
    for (const ApiObject& event : store_->list(store_->kind("events"), space).items) {
        if (text_at(*event, "involvedObject.kind") == "Balancer" &&
            text_at(*event, "reason") == reason)
            out.emplace_back(text_at(*event, "message"));
    }
    return out;
}

}  // namespace capstan::balancer
