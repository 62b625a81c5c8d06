#include "host_run.hpp"

#include <algorithm>
#include <sstream>
#include <thread>

#include "../host/commands/shell.hpp"
#include "config_text.hpp"

namespace capstan::hostile {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

bool wait_until(std::chrono::milliseconds timeout, const std::function<bool()>& is_true) {
    const auto deadline = steady_clock::now() + timeout;
    while (!is_true()) {
        if (steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(50ms);
    }
    return true;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
    return std::ranges::all_of(
        words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

HostRun::HostRun(const std::filesystem::path& config, const std::filesystem::path& state,
                 std::filesystem::path log)
    : log_(std::move(log)),
      process_(std::make_unique<e2e::Process>(
          std::vector<std::string>{(commands::build_tree() / "bin/capstan").string(), "run",
                                   "--config", config.string(), "--state", state.string()},
          e2e::Process::Variables{}, log_)) {}

std::string HostRun::log() const { return content(log_); }

int HostRun::count(const std::vector<std::string>& words) const {
    std::istringstream lines(log());
    int out = 0;
    for (std::string line; std::getline(lines, line);) out += has_all(line, words) ? 1 : 0;
    return out;
}

std::chrono::milliseconds HostRun::stop(int signal, std::chrono::milliseconds at_most) {
    const auto began = steady_clock::now();
    process_->signal(signal);
    wait_until(at_most, [&] { return !is_running(); });
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began);
}

}  // namespace capstan::hostile
