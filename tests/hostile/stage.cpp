#include "stage.hpp"

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace capstan::hostile {
namespace {

using namespace std::chrono_literals;

/// One pod fills a machine.
constexpr auto shop = R"(
title = "a shop with a plugin that misbehaves"
scan_interval = "500ms"
register_delay = "0s"
ready_delay = "200ms"
[pipeline.scale_up]
expanders = ["least_waste"]
[scale_down]
enabled = false
[[group]]
id = "web-a"
max = 4
boot = "200ms"
machine = { cpu = "4", memory = "16Gi" }
[[group]]
id = "web-b"
max = 4
boot = "200ms"
machine = { cpu = "4", memory = "16Gi" }
[[replica_set]]
name = "web"
count = 1
cpu = "3"
)";

constexpr auto guests = R"(
[[replica_set]]
name = "guest"
count = 1
cpu = "3"
node_selector = { rogue = "true" }
)";

/// A Lease of a run that was killed is waited for by the next.
constexpr auto short_lease =
    "\n[cluster.leader_election]\nlease_duration = '3s'\nrenew_deadline = '2s'\n"
    "retry_period = '500ms'\n";
constexpr auto short_deadlines = "call_deadline = '300ms'\nrefresh_deadline = '1s'\n";

std::string content(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return std::move(out).str();
}

void put_in_place(std::string& text, const std::string& of, const std::string& what) {
    const std::size_t at = text.find(of);
    if (at == std::string::npos) throw std::runtime_error("no '" + of + "' in\n" + text);
    text.replace(at, of.size(), what);
}

/// The value of the first such key.
std::string value_in(const std::string& text, const std::string& key) {
    const std::string before = key + " = \"";
    const std::size_t at = text.find(before);
    if (at == std::string::npos) throw std::runtime_error("no " + key + " in\n" + text);
    const std::size_t from = at + before.size();
    return text.substr(from, text.find('"', from) - from);
}

void use_rogue(std::string& config, const std::string& kind) {
    if (kind == "expander") {
        put_in_place(config, "[\"least_waste\"]", "[\"rogue\", \"least_waste\"]");
    } else if (kind == "cloud") {
        put_in_place(config, "clouds = [\"simulated\"]", "clouds = [\"rogue\", \"simulated\"]");
    } else {
        put_in_place(config, "[pipeline]\n", "[pipeline]\ncontrollers = [\"rogue\"]\n");
    }
}

}  // namespace

bool becomes(std::chrono::milliseconds within, const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + within;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(50ms);
    }
    return true;
}

HostRun::HostRun(const std::filesystem::path& config, const std::filesystem::path& state,
                 std::filesystem::path log)
    : log_(std::move(log)),
      process_(std::make_unique<e2e::Process>(
          std::vector<std::string>{(commands::build_tree() / "bin/capstan").string(), "run",
                                   "--config", config.string(), "--state", state.string()},
          e2e::Process::Variables{}, log_)) {}

std::string HostRun::log() const { return content(log_); }

bool HostRun::says(const std::vector<std::string>& words) const {
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);) {
        const bool has_all = std::ranges::all_of(
            words, [&](const std::string& word) { return line.find(word) != std::string::npos; });
        if (has_all) return true;
    }
    return false;
}

std::chrono::milliseconds HostRun::stop(int signal, std::chrono::milliseconds at_most) {
    const auto began = std::chrono::steady_clock::now();
    process_->signal(signal);
    becomes(at_most, [&] { return !is_running(); });
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 began);
}

Stage::Stage(const Row& row)
    : row_(row), cluster_(std::string(shop) + (row.wants_rogue ? guests : "")) {}

std::filesystem::path Stage::write_config(bool misbehaves) {
    std::string text = content(cluster_.config());
    admin_ = "http://" + value_in(text, "listen");
    use_rogue(text, row_.kind);
    const std::string plugins = commands::misbehaving().parent_path().string();
    text += short_lease + row_.config + "\n[trust]\nsearch_paths = ['" + plugins +
            "']\n[plugin.rogue]\nfile = 'misbehaving_in_c.so'\nclass = '" + row_.kind + "'\n";
    text += std::string("[plugin.rogue.limits]\n") + short_deadlines + row_.limits;
    if (misbehaves)
        text += "\n[plugin.rogue.settings]\nat = '" + row_.at + "'\nact = '" + row_.act + "'\n";
    const std::filesystem::path out =
        cluster_.dir() / (misbehaves ? "misbehaves.toml" : "behaves.toml");
    std::ofstream(out) << text;
    return out;
}

HostRun Stage::run(bool misbehaves) {
    return {write_config(misbehaves), cluster_.dir() / "host",
            cluster_.dir() / ("run-" + std::to_string(++runs_) + ".log")};
}

commands::Ran Stage::ask(const std::string& command) {
    return commands::capstan(command + " --config '" + write_config(true).string() + "'");
}

}  // namespace capstan::hostile
