#include "cluster.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <boost/json/parse.hpp>

#include "../host/commands/shell.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;

const std::filesystem::path& scratch() {
    static const commands::Folder folder;
    return folder.path();
}

std::string assets(const std::string& program) {
    return std::string(std::getenv("KUBEBUILDER_ASSETS")) + "/" + program;
}

std::string content(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return std::move(out).str();
}

/// A port that nobody listens on now.
int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool found = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!found) throw std::runtime_error("no free port on loopback");
    return ntohs(address.sin_port);
}

}  // namespace

std::optional<std::string> Cluster::missing_because() {
    if (std::getenv("KUBEBUILDER_ASSETS") != nullptr) return std::nullopt;
    return "KUBEBUILDER_ASSETS does not name a folder of control plane programs";
}

Cluster& Cluster::get() {
    static Cluster cluster;
    return cluster;
}

Cluster::Cluster() : folder_(scratch() / "control-plane") {
    const std::filesystem::path log = scratch() / "control-plane.log";
    process_ = std::make_unique<Process>(
        std::vector<std::string>{"tests/e2e/control_plane", folder_.string()}, Process::Variables{},
        log);
    const bool is_up = becomes(120s, [this] {
        return std::filesystem::exists(folder_ / "ready") || !process_->is_running();
    });
    if (!is_up || !process_->is_running())
        throw std::runtime_error("the control plane does not come up: " + content(log));
}

std::string Cluster::kubectl(const std::vector<std::string>& arguments, const std::string& input) {
    std::vector<std::string> command{assets("kubectl"),
                                     "--kubeconfig=" + (folder_ / "admin.conf").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Said said = run(command, {}, input);
    if (said.code == 0) return std::move(said.out);
    std::string text = "kubectl";
    for (const std::string& argument : arguments) text += " " + argument;
    throw std::runtime_error(text + ": " + said.errors);
}

boost::json::value Cluster::get_json(const std::vector<std::string>& what) {
    std::vector<std::string> arguments{"get", "-o", "json"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    return boost::json::parse(kubectl(arguments));
}

void Cluster::clear() {
    kubectl({"delete", "deployments,pods,poddisruptionbudgets", "--all", "--namespace=default",
             "--wait=false", "--grace-period=0", "--force"});
    kubectl({"delete", "nodes", "--all", "--wait=false"});
    kubectl(
        {"delete", "configmap", "capstan-memory", "--namespace=kube-system", "--ignore-not-found"});
    kubectl(
        {"delete", "lease", "cluster-autoscaler", "--namespace=kube-system", "--ignore-not-found"});
}

Daemon::Daemon(const std::string& name, const std::string& more)
    : config_(scratch() / (name + ".toml")), log_(scratch() / (name + ".log")), port_(free_port()) {
    std::ofstream(config_)
        << "[cluster]\nname = \"stories\"\nscan_interval = \"2s\"\nkubeconfig = \""
        << Cluster::get().capstans_kubeconfig().string()
        << "\"\n[admin]\nlisten = \"127.0.0.1:" << port_ << "\"\n"
        << more;
    process_ = std::make_unique<Process>(
        std::vector<std::string>{(commands::build_tree() / "bin/capstan").string(), "run",
                                 "--config", config_.string()},
        Process::Variables{}, log_);
}

std::string Daemon::log() const { return content(log_); }

std::optional<boost::json::value> Daemon::ask(const std::string& path) const {
    const Said said = run({"curl", "--silent", "--fail", "--max-time", "5",
                           "http://127.0.0.1:" + std::to_string(port_) + path});
    if (said.code != 0) return std::nullopt;
    return boost::json::parse(said.out);
}

}  // namespace capstan::e2e
