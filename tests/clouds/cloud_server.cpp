#include "cloud_server.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

namespace capstan::clouds {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

std::string text_of(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return std::move(out).str();
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

std::string package_missing_because(const std::string& package) {
    bool is_there = false;
    std::error_code none;
    for (const auto& version : fs::directory_iterator("build/python/lib", none))
        is_there = is_there || fs::exists(version.path() / "site-packages" / package);
    return is_there
               ? ""
               : std::string(python) + " has no " + package + "; ./dev packages test installs it";
}

CloudServer::CloudServer(const std::string& folder, const json::object& setup) {
    server_process_ =
        start(folder + "/server", {folder_.write("setup.json", json::serialize(setup))}, server_);
    proxy_process_ = start("tests/clouds/proxy", {server_->url(), folder + "/wire.py"}, proxy_);
}

std::unique_ptr<e2e::Process> CloudServer::start(const std::string& program,
                                                 const std::vector<std::string>& arguments,
                                                 std::optional<e2e::Api>& api) {
    const std::string name = fs::path(program).filename();
    const fs::path port = folder_.path() / (name + ".port");
    std::vector<std::string> command{python, program, port.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto out = std::make_unique<e2e::Process>(command, e2e::Process::Variables{},
                                              folder_.path() / (name + ".log"));
    const bool is_up = e2e::becomes(90s, [&] { return fs::exists(port) || !out->is_running(); });
    if (!is_up || !fs::exists(port))
        throw std::runtime_error(program + " does not start: " + log());
    api.emplace("http://127.0.0.1:" + text_of(port));
    return out;
}

std::string CloudServer::log() const {
    return text_of(folder_.path() / "server.log") + text_of(folder_.path() / "proxy.log");
}

json::value CloudServer::get(const std::string& word) const {
    return server_->get("/control/" + word);
}

void CloudServer::set(const std::string& word, const json::value& value) const {
    server_->create("/control/" + word, json::serialize(value));
}

void CloudServer::set_faults(const json::array& rules) const {
    proxy_->create("/proxy/rules", json::serialize(rules));
}

std::vector<std::int64_t> CloudServer::fault_counts() const {
    return json::value_to<std::vector<std::int64_t>>(proxy_->get("/proxy/hits"));
}

std::vector<std::string> CloudServer::violations() const {
    return json::value_to<std::vector<std::string>>(get("violations"));
}

}  // namespace capstan::clouds
