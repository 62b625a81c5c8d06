#include "embedded_cluster.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <boost/json/parse.hpp>

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;

std::string program() { return (commands::build_tree() / "bin/capstan").string(); }

std::string content(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return std::move(out).str();
}

/// The URL in the first line of `capstan cluster -o json`; empty: the line is not complete yet.
std::string url_in(const std::string& out) {
    const std::size_t end = out.find('\n');
    if (end == std::string::npos) return "";
    return std::string(boost::json::parse(out.substr(0, end)).at("url").as_string());
}

/// The last admin port in a log; empty: there is none yet.
std::string port_in(const std::string& log) {
    constexpr std::string_view before = "admin port: ";
    const std::size_t at = log.rfind(before);
    const std::size_t end = at == std::string::npos ? at : log.find('\n', at);
    if (end == std::string::npos) return "";
    return log.substr(at + before.size(), end - at - before.size());
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(const std::string& scenario,
                                 const std::vector<std::string>& options) {
    std::vector<std::string> command{
        program(), "cluster", folder_.write("scenario.toml", scenario), "--dir", dir().string(),
        "-o",      "json"};
    command.insert(command.end(), options.begin(), options.end());
    const std::filesystem::path out = folder_.path() / "out";
    process_ = std::make_unique<Process>(command, Process::Variables{}, out);
    const bool is_up =
        becomes(30s, [&] { return !url_in(content(out)).empty() || !process_->is_running(); });
    if (!is_up || !process_->is_running())
        throw std::runtime_error("the cluster does not start: " + content(out));
    api_.emplace(url_in(content(out)));
}

std::string EmbeddedCluster::log() const {
    return content(folder_.path() / "out") + content(dir() / "capstan.log");
}

std::string EmbeddedCluster::kubectl_missing_because() {
    const bool is_there = std::system("command -v kubectl > /dev/null 2>&1") == 0;
    return is_there ? "" : "kubectl is not installed";
}

std::string EmbeddedCluster::kubectl(const std::vector<std::string>& arguments,
                                     const std::string& input) {
    std::vector<std::string> command{"kubectl", "--kubeconfig", (dir() / "kubeconfig").string(),
                                     "--cache-dir", (dir() / "cache").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Output result = run(command, {}, input);
    if (result.code == 0) return std::move(result.out);
    std::string text = "kubectl";
    for (const std::string& argument : arguments) text += " " + argument;
    throw std::runtime_error(text + ": " + result.errors);
}

Daemon::Daemon(const EmbeddedCluster& cluster, std::string name)
    : log_(cluster.dir() / (name + ".log")) {
    // Each daemon has an admin port of its own.
    const std::filesystem::path config = cluster.dir() / (name + ".toml");
    std::string text = content(cluster.config());
    const std::size_t admin = text.find("listen = ");
    if (admin != std::string::npos)
        text.replace(admin, text.find('\n', admin) - admin, "listen = \"127.0.0.1:0\"");
    std::ofstream(config) << text;
    process_ = std::make_unique<Process>(
        std::vector<std::string>{program(), "run", "--config", config.string(), "--state",
                                 (cluster.dir() / "state").string()},
        Process::Variables{}, log_);
}

std::string Daemon::log() const { return content(log_); }

Api Daemon::admin(const std::string& token) const {
    if (!becomes(30s, [&] { return !port_in(log()).empty(); }))
        throw std::runtime_error("no admin port: " + log());
    return Api("http://127.0.0.1:" + port_in(log()), token);
}

void replace_in(const std::filesystem::path& file, const std::string& what, const std::string& by) {
    std::string text = content(file);
    text.replace(text.find(what), what.size(), by);
    std::ofstream(file) << text;
}

}  // namespace capstan::e2e
