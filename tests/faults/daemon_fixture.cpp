#include "daemon_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>

namespace capstan::faults {
namespace {

using namespace simulator;
using namespace simulator::api_server;
using namespace std::chrono_literals;

/// 2026-11-21T10:00:00Z
constexpr Time start = time_from_unix_ns(1'795'255'200'000'000'000);

constexpr const char* config = R"(
[admin]
listen = ""
[pipeline]
clouds = ["cloud"]
[plugin.cloud]
class = "simulated"
grants = { state = true, kube = ["nodes:list,create,delete"] }
[plugin.cloud.settings]
register_nodes = true
)";

constexpr const char* group_config = R"([[plugin.cloud.settings.groups]]
id = "web"
size = 2
max = 5
boot = "1m"
machine = { cpu = "4", memory = "16Gi" }
)";

json::object parsed(const char* text) { return json::parse(text).as_object(); }

/// One object of each kind that the daemon watches, except nodes and pods. They have no pods.
struct ClusterObject {
    const char *resource, *in, *json;
};
constexpr ClusterObject cluster_objects[] = {
    {"replicasets.apps", space, R"({"metadata":{"name":"x"},"spec":{"replicas":0,
        "selector":{"matchLabels":{"app":"x"}},
        "template":{"metadata":{"labels":{"app":"x"}},"spec":{}}}})"},
    {"statefulsets.apps", space, R"({"metadata":{"name":"x"},"spec":{"replicas":0,
        "selector":{"matchLabels":{"app":"x"}},
        "template":{"metadata":{"labels":{"app":"x"}},"spec":{}}}})"},
    {"replicationcontrollers", space, R"({"metadata":{"name":"x"},"spec":{"replicas":0,
        "selector":{"app":"x"},"template":{"metadata":{"labels":{"app":"x"}},"spec":{}}}})"},
    {"daemonsets.apps", space, R"({"metadata":{"name":"x"},"spec":{
        "selector":{"matchLabels":{"app":"x"}},
        "template":{"metadata":{"labels":{"app":"x"}},"spec":{"nodeSelector":{"none":"such"},
            "containers":[{"name":"c","image":"i"}]}}}})"},
    {"jobs.batch", space, R"({"metadata":{"name":"x"},"spec":{"suspend":true,
        "template":{"spec":{}}}})"},
    {"poddisruptionbudgets.policy", space, R"({"metadata":{"name":"x"},"spec":{"minAvailable":1,
        "selector":{"matchLabels":{"app":"x"}}}})"},
    {"persistentvolumeclaims", space, R"({"metadata":{"name":"x"},"spec":{"volumeName":"v"}})"},
    {"persistentvolumes", "", R"({"metadata":{"name":"x"},"spec":{}})"},
    {"storageclasses.storage.k8s.io", "", R"({"metadata":{"name":"x"},"provisioner":"disk"})"},
    {"csinodes.storage.k8s.io", "", R"({"metadata":{"name":"x"},"spec":{"drivers":[]}})"},
    {"csidrivers.storage.k8s.io", "", R"({"metadata":{"name":"x"},"spec":{}})"},
    {"csistoragecapacities.storage.k8s.io", space,
     R"({"metadata":{"name":"x"},"storageClassName":"fast"})"},
    {"namespaces", "", R"({"metadata":{"name":"x"}})"},
    {"services", space, R"({"metadata":{"name":"x"},"spec":{"selector":{"app":"x"}}})"},
};

/// Nodes and pods start and stop without a delay.
const control_plane::ControlPlaneOptions control_plane_options{
    .pod_start_up = Duration::zero(), .node_start_up = Duration::zero(), .grace_share = 0};

/// Thrown through the daemon, so that its parts are destroyed without callbacks.
struct DaemonKilled {};

bool is_change(const io::ServedRequest& request) {
    return request.method != "GET" && request.target.find("/leases") == std::string::npos;
}

bool is_marked(const json::object& node, const std::string& key) {
    if (key == "cordon") return is_true_at(node, "spec.unschedulable");
    const json::array* taints = find_array(node, "spec.taints");
    if (taints == nullptr) return false;
    for (const json::value& each : *taints)
        if (text_at(each.as_object(), "key") == key) return true;
    return false;
}

/// The configuration without [trust], whose folder of plugins differs between two assemblies.
std::shared_ptr<const autoscaler::daemon::LoadedConfig> loaded_config(
    const autoscaler::Assembly& assembly) {
    auto out = std::make_shared<autoscaler::daemon::LoadedConfig>(autoscaler::daemon::LoadedConfig{
        .config = assembly.config(), .plugins = assembly.plugins()});
    std::erase_if(out->config.tree.children, [](const auto& c) { return c.key == "trust"; });
    return out;
}

}  // namespace

int Record::times_marked() const {
    int out = 0;
    for (const auto& [mark, times] : marks)
        if (mark.ends_with(mark_taint)) out += times;
    return out;
}

DaemonFixture::DaemonFixture(const DaemonFixtureSettings& settings) {
    const std::filesystem::path access = folder_.path() / "kubeconfig";
    std::ofstream(access) << kubeconfig;
    config_text_ = "[cluster]\nkubeconfig = \"" + access.string() + "\"\n[log]\nlevel = \"" +
                   settings.log_level + "\"\n" + config + settings.cloud + "\n" + group_config +
                   settings.group + "\n[scale_down]\nunneeded_time = \"" + settings.unneeded_time +
                   "\"\ndelay_after_add = \"0s\"\n" + settings.scale_down + "\n";
    assembly_ = std::make_unique<autoscaler::Assembly>(config_text_);
    if (!assembly_->diagnostics().empty())
        throw std::invalid_argument(assembly_->diagnostics().text());
    auto host = autoscaler::PluginHost::start(assembly_->config(), assembly_->plugins(),
                                              {.seed = 1,
                                               .version = "test",
                                               .clock = std::make_shared<io::ManualClock>(start),
                                               .has_cluster = true});
    if (!host) throw std::runtime_error(host.error().message);
    host_ = *std::move(host);
    store_ = std::make_unique<ObjectStore>(loop(), ObjectStore::Options{});
    server_ = std::make_unique<ApiServer>(*store_);
    add_initial_objects();
    control_plane_ = std::make_unique<control_plane::ControlPlane>(*store_, control_plane_options);
    control_plane_->start();
    watch_nodes();
    watch_pods();
}

DaemonFixture::~DaemonFixture() = default;

void DaemonFixture::add_initial_objects() {
    for (const ClusterObject& object : cluster_objects)
        make(*store_, object.resource, object.in, parsed(object.json));
    at(1s, [this] { add_first_pods(); });
    at(20s, [this] { add_pending_pods(); });
    at(45s, [this] {
        server_->cut_watches();
        replace_objects("x", "y");
        store_->compact(store_->revision());
    });
    at(70s, [this] { replace_objects("y", "z"); });
}

/// Creates a-1 and b-1 once both nodes are ready. The scheduler binds each to a node of its own.
void DaemonFixture::add_first_pods() {
    const std::vector<ApiObject> nodes = store_->list(store_->kind("nodes")).items;
    const auto is_ready = [](const ApiObject& node) { return has_condition(*node, "Ready"); };
    if (std::ranges::count_if(nodes, is_ready) < 2) {
        loop().after(1s, [this] { add_first_pods(); });
        return;
    }
    make(*store_, "statefulsets.apps", space, stateful_set("a", 3500));
    make(*store_, "statefulsets.apps", space, stateful_set("b", 200));
}

/// Creates p-1 and h-1 once the other pods have nodes, however long that takes.
void DaemonFixture::add_pending_pods() {
    const std::vector<ApiObject> pods = store_->list(store_->kind("pods")).items;
    const auto is_pending = [](const ApiObject& pod) {
        return text_at(*pod, "spec.nodeName").empty();
    };
    if (pods.size() < 2 || std::ranges::any_of(pods, is_pending)) {
        loop().after(5s, [this] { add_pending_pods(); });
        return;
    }
    make(*store_, "statefulsets.apps", space, stateful_set("p", 3900));
    make(*store_, "statefulsets.apps", space, stateful_set("h", 50'000));
}

void DaemonFixture::replace_objects(const char* from, const char* to) {
    for (const ClusterObject& object : cluster_objects) {
        const ResourceKind& kind = store_->kind(object.resource);
        json::object other = parsed(object.json);
        set_value(other, "metadata.name", to);
        make(*store_, object.resource, object.in, std::move(other));
        if (const auto gone = store_->remove(kind, object.in, from); !gone)
            throw std::runtime_error(gone.error().message);
    }
}

void DaemonFixture::watch_nodes() {
    const auto record = [this](const Change& change) {
        const std::string name(text_at(*change.object, "metadata.name"));
        record_.nodes.insert(name);
        for (const char* key : {mark_taint, hint_taint, "cordon"}) {
            const bool was = change.before != nullptr && is_marked(*change.before, key);
            if (!was && is_marked(*change.object, key)) ++record_.marks[name + " " + key];
        }
    };
    node_subscription_ =
        *store_->subscribe(store_->kind("nodes"), store_->revision(), {.changed = record});
}

void DaemonFixture::watch_pods() {
    const auto record = [this](const Change& change) {
        const auto is_terminating = [](const ApiObject& pod) {
            return pod != nullptr && !text_at(*pod, "metadata.deletionTimestamp").empty();
        };
        if (is_terminating(change.object) && !is_terminating(change.before))
            record_.evicted.emplace_back(text_at(*change.object, "metadata.name"));
    };
    pod_subscription_ =
        *store_->subscribe(store_->kind("pods"), store_->revision(), {.changed = record});
}

std::vector<ApiObject> DaemonFixture::events() const {
    std::vector<ApiObject> out = store_->list(store_->kind("events")).items;
    std::erase_if(out, [](const ApiObject& event) {
        return text_at(*event, "source.component") != "cluster-autoscaler";
    });
    return out;
}

void DaemonFixture::at(Duration when, std::function<void()> what) {
    loop().after(start + when - loop().clock()->now(), std::move(what));
}

void DaemonFixture::kill_at(int change, bool is_carried_out) {
    on_change_ = [this, change, is_carried_out] {
        if (record_.changes == change) kill(is_carried_out);
    };
}

/// From now on no request of the daemon reaches the server, except the present one if
/// `is_carried_out`, and no answer reaches the daemon. The daemon ends after the handlers that are
/// ready to run.
void DaemonFixture::kill(bool is_carried_out) {
    constexpr Duration longer_than_any_run = 24h;
    if (is_carried_out) server_->faults().add({.spoil = ResponseCorruption::silence});
    server_->faults().add({.delay = longer_than_any_run, .times = {}});
    loop().after(Duration(1), [] { throw DaemonKilled(); });
}

void DaemonFixture::record_request(const io::ServedRequest& request) {
    if (is_change(request)) {
        if (on_change_) on_change_();
        ++record_.changes;
    }
    if (on_request) on_request(request);
}

void DaemonFixture::record_pass(const autoscaler::PassReport& pass) {
    ++record_.passes;
    record_.last_pass = std::make_shared<autoscaler::PassReport>(pass);
    const engine::Decision& decision = pass.decision();
    const auto& increases = pass.results.increases;
    for (std::size_t i = 0; i < std::min(increases.size(), decision.increases.size()); ++i)
        if (!increases[i]) record_.ordered += decision.increases[i].by;
    if (!pass.results.removals.empty()) record_.removals.push_back(pass.input.call_context.now);
    for (const engine::Group& group : *pass.input.snapshot.groups) {
        if (!group.group.target) continue;
        const int target = *group.group.target;
        record_.least_target = std::min(record_.least_target.value_or(target), target);
    }
}

void DaemonFixture::run(Duration until, const std::function<void()>& check) {
    at(until, [&check] {
        check();
        std::raise(SIGTERM);
    });
    for (;;) {
        try {
            return run_daemon();
        } catch (const DaemonKilled&) {
            server_->faults().clear();
        }
    }
}

void DaemonFixture::reload(const std::string& more) {
    reloaded_ = std::make_unique<autoscaler::Assembly>(config_text_ + more);
    std::raise(SIGHUP);
}

Result<std::shared_ptr<const autoscaler::daemon::LoadedConfig>> DaemonFixture::read_config() {
    if (reloaded_->diagnostics().errors() > 0)
        return fail(ErrorCode::invalid_config, reloaded_->diagnostics().text());
    return loaded_config(*reloaded_);
}

void DaemonFixture::run_daemon() {
    network_ = std::make_unique<LocalHttpClient>(
        *server_, loop(), [this](const io::ServedRequest& request) { record_request(request); });
    const Result<void> ended = autoscaler::daemon::run_daemon(
        loaded_config(*assembly_), *host_,
        {.version = "test",
         .identity = "tester-" + std::to_string(++record_.daemons),
         .seed = 1,
         .read_config = [this] { return read_config(); },
         .on_overdue = [] { throw std::runtime_error("the daemon does not stop in time"); },
         .on_pass = [this](const autoscaler::PassReport& pass) { record_pass(pass); },
         .http = network_.get()});
    if (!ended) throw std::runtime_error(ended.error().message);
}

}  // namespace capstan::faults
