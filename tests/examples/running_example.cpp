#include "running_example.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "../clouds/cloud_server.hpp"

namespace capstan::examples {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using e2e::becomes;

void replace_once(std::string& text, const std::string& what, const std::string& by,
                  const std::string& file) {
    const std::size_t at = text.find(what);
    if (at == std::string::npos || text.find(what, at + 1) != std::string::npos)
        throw std::runtime_error("examples/" + file + " does not have exactly once: " + what);
    text.replace(at, what.size(), by);
}

std::string configuration(const std::string& file, const Replacements& replacements) {
    std::string text = example(file);
    for (const auto& [what, by] : replacements) replace_once(text, what, by, file);
    // e2e::Daemon sets the port.
    if (text.find("[admin]") == std::string::npos) text += "\n[admin]\nlisten = \"\"\n";
    return text;
}

bool has_answered(const json::value& cloud) { return cloud.at("status").as_string() == "answered"; }

}  // namespace

std::string example(const std::string& file) {
    std::string text = clouds::text_of("examples/" + file);
    if (text.empty()) throw std::runtime_error("examples/" + file + " is not there, or is empty");
    return text;
}

RunningExample::RunningExample(const std::string& file, const Replacements& replacements,
                               const std::string& pods)
    : cluster_(example("empty.toml") + pods),
      kubeconfig_("KUBECONFIG", (cluster_.dir() / "kubeconfig").string()) {
    std::ofstream(cluster_.config()) << configuration(file, replacements);
    daemon_.emplace(cluster_, "daemon");
}

RunningExample::~RunningExample() {
    if (::testing::Test::HasFailure() || std::uncaught_exceptions() > 0)
        std::cerr << "-- capstan run --\n" << daemon_->log();
}

std::optional<e2e::Api> RunningExample::find_admin() {
    const bool listens = daemon_->log().find("admin port: ") != std::string::npos;
    if (!listens || !daemon_->process().is_running()) return std::nullopt;
    return daemon_->admin();
}

bool RunningExample::has_passed() {
    const std::optional<e2e::Api> found = find_admin();
    if (!found) return false;
    const json::value status = found->get("/api/v2/status");
    const json::value* const pass = status.as_object().if_contains("last_pass");
    return pass != nullptr && !pass->as_object().contains("dropped_because") &&
           std::ranges::all_of(pass->at("clouds").as_array(), has_answered);
}

void RunningExample::wait_for_first_pass() {
    const bool is_done =
        becomes(90s, [&] { return has_passed() || !daemon_->process().is_running(); });
    if (!daemon_->process().is_running())
        throw std::runtime_error("capstan run has ended before its first pass");
    if (!is_done) throw std::runtime_error("no pass in which all clouds answered within 90 s");
    std::string readiness;
    becomes(30s, [&] { return (readiness = daemon_->admin().answer("/readyz").body) == "OK"; });
    EXPECT_EQ(readiness, "OK");
}

bool RunningExample::answers(const std::string& path, const std::string& text) const {
    return becomes(
        60s, [&] { return daemon_->admin().answer(path).body.find(text) != std::string::npos; });
}

std::vector<std::string> RunningExample::groups() const {
    std::vector<std::string> out;
    const json::value all = daemon_->admin().get("/api/v2/groups");
    for (const json::value& group : all.as_array()) out.emplace_back(group.at("id").as_string());
    return out;
}

void RunningExample::stop() { EXPECT_EQ(daemon_->process().end(SIGTERM), 0); }

}  // namespace capstan::examples
