#include "cluster.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <boost/json/parse.hpp>

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;

std::string assets(const std::string& program) {
    return std::string(std::getenv("KUBEBUILDER_ASSETS")) + "/" + program;
}

bool is_ready(const boost::json::object& status) {
    const boost::json::value* conditions = status.if_contains("conditions");
    return conditions != nullptr &&
           std::ranges::any_of(conditions->as_array(), [](const boost::json::value& condition) {
               return condition.at("type") == "Ready" && condition.at("status") == "True";
           });
}

NodeView read_node(const boost::json::value& node) {
    const boost::json::object& metadata = node.at("metadata").as_object();
    const boost::json::object& spec = node.at("spec").as_object();
    NodeView out{.name = std::string(metadata.at("name").as_string()),
                 .is_ready = is_ready(node.at("status").as_object()),
                 .is_tainted = spec.contains("taints") || spec.contains("unschedulable")};
    const boost::json::object& labels = metadata.at("labels").as_object();
    if (const auto* zone = labels.if_contains("topology.kubernetes.io/zone"))
        out.zone = zone->as_string();
    return out;
}

}  // namespace

std::optional<std::string> Cluster::missing_because() {
    const char* const folder = std::getenv("KUBEBUILDER_ASSETS");
    if (folder == nullptr)
        return "KUBEBUILDER_ASSETS does not name a folder of control plane programs";
    // A folder that does not exist is a mistake: tests fail instead of being skipped.
    if (!std::filesystem::is_directory(folder)) return std::nullopt;
    for (const char* const program : {"etcd", "kube-apiserver", "kube-controller-manager",
                                      "kube-scheduler", "kubectl", "kwok", "kwok-stages.yaml"}) {
        if (!std::filesystem::exists(assets(program)))
            return std::string(folder) + ", which KUBEBUILDER_ASSETS names, has no " + program;
    }
    return std::nullopt;
}

Cluster::Cluster()
    : process_(std::make_unique<Process>(
          std::vector<std::string>{"tests/e2e/control_plane", control_plane().string()},
          Process::Variables{}, folder() / "control-plane.log")) {
    const bool is_up = becomes(400s, [this] {
        return std::filesystem::exists(control_plane() / "ready") || !process_->is_running();
    });
    if (!is_up || !process_->is_running())
        throw std::runtime_error("the control plane does not start: " + log());
}

void Cluster::restart_api_server(Seconds downtime) {
    std::ofstream(control_plane() / "downtime") << downtime.count();
    send_signal(SIGUSR1);
}

void Cluster::forget_history() { send_signal(SIGUSR2); }

bool Cluster::is_ready() const {
    return run(command({"get", "--raw=/readyz", "--request-timeout=2s"})).code == 0;
}

void Cluster::send_signal(int signal) {
    const std::filesystem::path done = control_plane() / "done";
    std::filesystem::remove(done);
    process_->signal(signal);
    if (!becomes(180s, [&] { return std::filesystem::exists(done); }))
        throw std::runtime_error("the control plane did not confirm the signal");
}

std::vector<std::string> Cluster::command(const std::vector<std::string>& arguments) const {
    std::vector<std::string> out{assets("kubectl"),
                                 "--kubeconfig=" + (control_plane() / "admin.conf").string()};
    out.insert(out.end(), arguments.begin(), arguments.end());
    return out;
}

std::string Cluster::kubectl(const std::vector<std::string>& arguments,
                             const std::string& input) const {
    Output output = run(command(arguments), {}, input);
    if (output.code == 0) return std::move(output.out);
    std::string text = "kubectl";
    for (const std::string& argument : arguments) text += " " + argument;
    throw std::runtime_error(text + ": " + output.errors);
}

std::unique_ptr<Process> Cluster::start_kubectl(const std::vector<std::string>& arguments,
                                                const std::filesystem::path& log) const {
    return std::make_unique<Process>(command(arguments), Process::Variables{}, log);
}

boost::json::value Cluster::get_json(const std::vector<std::string>& what) const {
    std::vector<std::string> arguments{"get", "-o", "json"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    return boost::json::parse(kubectl(arguments));
}

std::vector<NodeView> Cluster::nodes() const {
    std::vector<NodeView> out;
    const boost::json::value list = get_json({"nodes"});
    for (const boost::json::value& node : list.at("items").as_array())
        out.push_back(read_node(node));
    std::ranges::sort(out, {}, &NodeView::name);
    return out;
}

}  // namespace capstan::e2e
