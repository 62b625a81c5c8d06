#include "live_cluster.hpp"

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

#include <boost/json/parse.hpp>

namespace capstan::bench {
namespace {

using namespace simulation;

constexpr const char* space = "default";
constexpr const char* few_cpu = "1";
constexpr const char* half_a_node = "15";

std::string group_toml(int number, const LiveSize& size, const std::string& boot) {
    return "[[plugin.cloud.settings.groups]]\nid = \"g" + std::to_string(number) +
           "\"\nsize = " + std::to_string(size.nodes_per_group) + "\nmax = 1000\nboot = \"" + boot +
           "\"\nmachine = { cpu = \"32\", memory = \"128Gi\" }\n";
}

std::string config_toml(const LiveSize& size, const std::filesystem::path& kubeconfig,
                        const std::string& boot, const std::string& more) {
    std::string out = "[cluster]\nkubeconfig = \"" + kubeconfig.string() +
                      "\"\nkube_client_qps = 10000\nkube_client_burst = 10000\n"
                      "[admin]\nlisten = \"\"\n[log]\nlevel = \"error\"\n"
                      "[pipeline]\nclouds = [\"cloud\"]\n" +
                      more +
                      "[plugin.cloud]\nclass = \"simulated\"\n"
                      "grants = { state = true, kube = [\"nodes:list,create,delete\"] }\n"
                      "[plugin.cloud.settings]\nregister_nodes = true\n";
    for (int i = 0; i < size.groups; ++i) out += group_toml(i, size, boot);
    return out;
}

template <class T>
void must(const Answer<T>& answer) {
    if (!answer) throw std::runtime_error("the store refuses: " + answer.error().message);
}

json::array condition(const char* type, const char* status, const char* reason, Time now) {
    return {json::object{{"type", type},
                         {"status", status},
                         {"reason", reason},
                         {"lastTransitionTime", timestamp_text(now)}}};
}

json::object pod_object(const std::string& name, const std::string& node, const std::string& cpu,
                        Time now) {
    const bool runs = !node.empty();
    const json::object controller{{"apiVersion", "apps/v1"},
                                  {"kind", "ReplicaSet"},
                                  {"name", "crowd"},
                                  {"uid", "crowd"},
                                  {"controller", true}};
    const json::object requests{{"cpu", cpu}, {"memory", "1Gi"}};
    const json::object container{
        {"name", "c"}, {"image", "i"}, {"resources", {{"requests", requests}}}};
    json::object spec{{"containers", json::array{container}}};
    if (runs) spec["nodeName"] = node;
    const json::object status{{"phase", runs ? "Running" : "Pending"},
                              {"conditions", condition("PodScheduled", runs ? "True" : "False",
                                                       runs ? "" : "Unschedulable", now)}};
    return {{"metadata",
             {{"name", name},
              {"labels", {{"app", "crowd"}}},
              {"ownerReferences", json::array{controller}}}},
            {"spec", std::move(spec)},
            {"status", status}};
}

std::string pod_name(std::size_t number, int generation) {
    return "p" + std::to_string(number) + "-" + std::to_string(generation);
}

}  // namespace

Scratch::Scratch() {
    std::string name = std::filesystem::temp_directory_path() / "capstan-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder: " + name);
    path_ = name;
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

LiveSetup::LiveSetup(const LiveSize& size, const std::string& kubeconfig, const std::string& boot,
                     const std::string& more) {
    const std::filesystem::path access = scratch_.path() / "kubeconfig";
    std::ofstream(access) << kubeconfig;
    const runtime::ShippedPlugins shipped(runtime::shipped_plugins_root());
    runtime::Loaded loaded = runtime::load_config(
        runtime::Source{"benchmark", config_toml(size, access, boot, more)}, shipped);
    auto out = std::make_shared<runtime::LoadedConfig>();
    if (loaded.config)
        out->plugins =
            runtime::load_plugins(*loaded.config, shipped, registry_, loaded.diagnostics);
    if (!loaded.config || loaded.diagnostics.errors() > 0)
        throw std::runtime_error(loaded.diagnostics.text());
    out->config = *std::move(loaded.config);
    config_ = std::move(out);
}

std::unique_ptr<runtime::PluginHost> LiveSetup::start(
    std::shared_ptr<io::ManualClock> clock) const {
    auto host = runtime::PluginHost::start(
        config_->config, config_->plugins,
        {.seed = 1, .version = "bench", .clock = std::move(clock), .has_cluster = true});
    if (!host) throw std::runtime_error(host.error().message);
    return *std::move(host);
}

Crowd::Crowd(ObjectStore& store, const LiveSize& size)
    : store_(store),
      nodes_(store.kind("nodes")),
      pods_(store.kind("pods")),
      pods_per_node_(size.pods_per_node),
      first_nodes_(size.groups * size.nodes_per_group) {
    must(store_.create(store.kind("replicasets.apps"), space,
                       json::parse(R"({"metadata":{"name":"crowd"},"spec":{"replicas":1,
                            "selector":{"matchLabels":{"app":"crowd"}},
                            "template":{"metadata":{"labels":{"app":"crowd"}},"spec":{}}}})")
                           .as_object()));
    auto seen = store_.subscribe(nodes_, store_.revision(),
                                 {.changed = [this](const Change& change) { see(change); }});
    must(seen);
    seen_ = *std::move(seen);
}

void Crowd::see(const Change& change) {
    if (change.type != ChangeType::added) return;
    const std::string node(text_at(*change.object, "metadata.name"));
    const auto make_ready = [this](json::object& object) {
        set_value(object, "status.conditions", condition("Ready", "True", "", store_.now()));
    };
    must(store_.edit(nodes_, "", node, make_ready, {.part = ObjectPart::everything}));
    if (full_nodes_ < first_nodes_) return fill(node);
    ++later_nodes_;
    run_waiting(node);
}

void Crowd::fill(const std::string& node) {
    const int index = full_nodes_++;
    node_names_.push_back(node);
    for (int i = 0; i < pods_per_node_; ++i) {
        create(pod_name(running_.size(), 0), node, few_cpu);
        running_.push_back({.node = index});
    }
}

/// Two have room on it.
void Crowd::run_waiting(const std::string& node) {
    for (int i = 0; i < 2 && !waiting_.empty(); ++i) {
        const auto run = [&](json::object& pod) {
            set_value(pod, "spec.nodeName", json_view(node));
            set_value(pod, "status.phase", "Running");
            set_value(pod, "status.conditions",
                      condition("PodScheduled", "True", "", store_.now()));
        };
        must(store_.edit(pods_, space, waiting_.front(), run, {.part = ObjectPart::everything}));
        waiting_.erase(waiting_.begin());
    }
}

void Crowd::create(const std::string& name, const std::string& node, const std::string& cpu) {
    const json::object pod = pod_object(name, node, cpu, store_.now());
    must(store_.create(pods_, space, pod));
    const auto settle = [&pod](json::object& object) { object["status"] = pod.at("status"); };
    must(store_.edit(pods_, space, name, settle, {.part = ObjectPart::everything}));
}

void Crowd::replace(std::uint64_t number) {
    const std::size_t index = number % running_.size();
    Running& old = running_[index];
    remove(pod_name(index, old.generation));
    create(pod_name(index, ++old.generation), node_names_[static_cast<std::size_t>(old.node)],
           few_cpu);
}

void Crowd::add_waiting(const std::string& name) {
    waiting_.push_back(name);
    create(name, "", half_a_node);
}

void Crowd::remove(const std::string& name) {
    std::erase(waiting_, name);
    must(store_.remove(pods_, space, name, {.grace_s = 0}));
}

}  // namespace capstan::bench
