#include "daemon.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include <boost/json/parse.hpp>

namespace capstan::e2e {
namespace {

/// A free port.
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

Daemon::Daemon(const Cluster& cluster, const std::string& name, const std::string& more,
               const std::filesystem::path& kubeconfig)
    : kubeconfig_(kubeconfig.empty() ? cluster.capstans_kubeconfig() : kubeconfig),
      config_(cluster.folder() / (name + ".toml")),
      state_(cluster.folder() / (name + ".state")),
      log_(cluster.folder() / (name + ".log")),
      port_(free_port()) {
    configure(more);
    start();
}

Daemon::~Daemon() {
    if (::testing::Test::HasFailure() || std::uncaught_exceptions() > 0)
        std::cerr << "-- " << log_.filename().string() << " --\n" << log();
}

void Daemon::start() {
    process_ = std::make_unique<Process>(
        std::vector<std::string>{(commands::build_tree() / "bin/capstan").string(), "run",
                                 "--config", config_.string(), "--state", state_.string()},
        Process::Variables{}, log_);
}

void Daemon::configure(const std::string& more) const {
    std::ofstream(config_) << "[cluster]\nname = \"e2e\"\nscan_interval = \"1s\"\n"
                           << "kube_client_qps = 500\nkube_client_burst = 500\n"
                           << "kubeconfig = \"" << kubeconfig_.string() << "\"\n"
                           << "[admin]\nlisten = \"127.0.0.1:" << port_ << "\"\n"
                           << more;
}

std::optional<std::string> Daemon::get_text(const std::string& path) const {
    const Output output = run({"curl", "--silent", "--fail", "--max-time", "5",
                               "http://127.0.0.1:" + std::to_string(port_) + path});
    return output.code == 0 ? std::optional(output.out) : std::nullopt;
}

std::optional<boost::json::value> Daemon::get(const std::string& path) const {
    const std::optional<std::string> text = get_text(path);
    return text ? std::optional(boost::json::parse(*text)) : std::nullopt;
}

/// In ms since 1970; the metric has whole seconds.
std::int64_t Daemon::last_successful_pass() const {
    const std::string text = get_text("/metrics").value_or("");
    const std::string name = "cluster_autoscaler_last_activity{activity=\"mainSuccessful\"} ";
    const std::size_t at = text.find(name);
    if (at == std::string::npos) return 0;
    return static_cast<std::int64_t>(std::stod(text.substr(at + name.size()))) * 1000;
}

bool Daemon::works_since(std::int64_t unix_ms) const {
    const std::optional<boost::json::value> status = get("/api/v2/status");
    if (!status || !status->at("leads").as_bool()) return false;
    for (const boost::json::value& kind : status->at("kinds").as_array())
        if (kind.as_object().contains("error")) return false;
    return last_successful_pass() >= unix_ms;
}

std::int64_t Daemon::target() const {
    const std::optional<boost::json::value> groups = get("/api/v2/groups");
    if (!groups) return -1;
    std::int64_t out = 0;
    for (const boost::json::value& group : groups->as_array())
        out += group.at("target").to_number<std::int64_t>();
    return out;
}

std::string Daemon::log() const {
    std::ifstream in(log_);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace capstan::e2e
