// The commands of docs/tutorial.md as they are written there, except those that build the program
// or create a cluster: the test has a cluster in memory instead of one of kwok.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "../docs/document.hpp"
#include "embedded_cluster.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

struct Tutorial : ::testing::Test {
    void SetUp() override {
        const std::string because = EmbeddedCluster::kubectl_missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        cluster = std::make_unique<EmbeddedCluster>(docs::text_of("examples/empty.toml"));
        log = cluster->dir() / "daemon.log";
        // The configuration of the tutorial with a free port and shorter delays.
        std::string config = docs::text_of("examples/kwok.toml");
        config = replaced(config, "127.0.0.1:8085", "127.0.0.1:0");
        config = replaced(config, "\"20s\"", "\"3s\"");
        config = replaced(config, "scan_interval = \"5s\"", "scan_interval = \"1s\"");
        std::ofstream(cluster->dir() / "kwok.toml") << config;
        variables = {
            {"KUBECONFIG", (cluster->dir() / "kubeconfig").string()},
            {"PATH", (commands::build_tree() / "bin").string() + ":" + std::getenv("PATH")}};
    }

    /// A command in a shell, with the test's paths and port instead of the tutorial's.
    std::vector<std::string> shell(const std::string& command) const {
        // /tmp/capstan is replaced first, because the paths that replace other texts may begin with
        // it.
        std::string here = replaced(command, "/tmp/capstan", (cluster->dir() / "state").string());
        here = replaced(here, "127.0.0.1:8085", "127.0.0.1:" + admin_port());
        const std::string config = (cluster->dir() / "kwok.toml").string();
        return {"bash", "-c", "exec " + replaced(here, "examples/kwok.toml", config)};
    }
    /// Runs a command that ends by itself, and returns what it printed.
    std::string type(const std::string& command) const {
        const Output result = run(shell(command), variables);
        EXPECT_EQ(result.code, 0) << command << "\n" << result.out << result.errors;
        return replaced(result.out, (cluster->dir() / "kwok.toml").string(), "examples/kwok.toml");
    }
    std::string daemon_log() const { return docs::text_of(log); }
    /// The admin port in the daemon's log; empty: the log does not have it yet.
    std::string admin_port() const {
        const std::string text = daemon_log(), before = "admin port: ";
        const std::size_t at = text.find(before);
        if (at == std::string::npos) return {};
        const std::size_t first = at + before.size();
        return text.substr(first, text.find('\n', first) - first);
    }
    int machines() const {
        return cluster->api().nodes_of("shop-a") + cluster->api().nodes_of("shop-b");
    }
    /// Runs a command, and waits for its effect on the cluster.
    std::string run_step(const std::string& command) {
        if (command.starts_with("capstan run ")) {
            daemon = std::make_unique<Process>(shell(command), variables, log);
            EXPECT_TRUE(becomes(
                30s, [&] { return daemon_log().find("caches synced") != std::string::npos; }));
            return daemon_log();
        }
        const std::string out = type(command);
        const Api& api = cluster->api();
        if (command == "kubectl apply -f examples/kwok.yaml")
            EXPECT_TRUE(becomes(60s, [&] { return api.ready_pods("shop") == 12; })) << daemon_log();
        if (command.starts_with("kubectl scale "))
            EXPECT_TRUE(becomes(60s, [&] {
                return machines() == 1 && api.ready_pods("shop") == 4;
            })) << daemon_log();
        return out;
    }

    std::unique_ptr<EmbeddedCluster> cluster;
    std::filesystem::path log;
    Process::Variables variables;
    std::unique_ptr<Process> daemon;
};

/// Whether a command builds the program or creates a cluster; the test does this in another way.
bool is_set_up(const std::string& command) {
    const char* const starts[] = {
        "./dev build", "capstan cluster ",          "export KUBECONFIG=", "kwokctl create",
        "kind create", "kubectl apply -f https://", "KUBEBUILDER_ASSETS="};
    return std::ranges::any_of(starts,
                               [&](const char* start) { return command.starts_with(start); });
}

using Replacements = std::vector<std::pair<std::regex, const char*>>;

std::string with_all_replaced(std::string line, const Replacements& replacements) {
    for (const auto& [what, by] : replacements) line = std::regex_replace(line, what, by);
    return line;
}

/// A line without the parts that differ between runs: addresses, versions, ages, host names, and
/// blanks.
std::string normalized(const std::string& line) {
    static const Replacements varying = {{std::regex("https?://[^ ]+"), "URL"},
                                         {std::regex("\\b(v[0-9]|kwok-)[0-9.]+[^ ]*"), "VERSION"},
                                         {std::regex("\\b([0-9]+[hms])+\\b"), "AGE"},
                                         {std::regex("vm_[0-9a-f]+"), "HOST"},
                                         {std::regex("^[-0-9]+T[0-9:.]+Z"), "TIME"},
                                         {std::regex("admin port: [0-9]+"), "admin port: N"},
                                         {std::regex(" modified\\.$"), " created."},
                                         {std::regex(" +"), " "},
                                         {std::regex(" $"), ""}};
    return with_all_replaced(line, varying);
}

/// The line of a decision in the log, also without its subjects and numbers.
std::string normalized_decision(const std::string& line) {
    static const Replacements varying = {{std::regex("default/shop-[^ ]+"), "POD"},
                                         {std::regex("shop-[ab]-[0-9]+"), "NODE"},
                                         // One line may have several nodes of a group.
                                         {std::regex("NODE(, NODE)+ from"), "NODE from"},
                                         {std::regex(": NODE: (.*?), NODE: .*"), ": $1"},
                                         {std::regex("shop-[ab]"), "GROUP"},
                                         {std::regex("; accepted after .*"), ""},
                                         {std::regex("(one|smallest) of"), "of"},
                                         {std::regex("[0-9]+"), "N"},
                                         {std::regex("pods? fits?"), "pods fit"},
                                         {std::regex("N pods?"), "N pods"}};
    return with_all_replaced(normalized(line), varying);
}

bool is_decision(const std::string& line) {
    static const std::regex pattern("^[-0-9]+T[0-9:.]+Z info  pass: (increase|remove|evict) .*");
    return std::regex_match(line, pattern);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

/// The normalized lines of `printed` that `out` lacks, without those of decisions.
std::set<std::string> lines_missing(const std::vector<std::string>& printed,
                                    const std::string& out) {
    std::set<std::string> missing;
    for (const std::string& line : printed)
        if (!is_decision(line)) missing.insert(normalized(line));
    for (const std::string& line : lines_of(out)) missing.erase(normalized(line));
    return missing;
}

TEST_F(Tutorial, PrintsTheShownOutput) {
    std::set<std::string> decisions;
    std::string of_block;
    for (const docs::ShownCommand& step : docs::shown_commands("docs/tutorial.md")) {
        for (const std::string& line : step.printed)
            if (is_decision(line)) decisions.insert(normalized_decision(line));
        if (is_set_up(step.command)) continue;
        std::string out = run_step(step.command);
        // The tutorial shows the output of a block after its last command.
        of_block += out;
        if (step.printed.empty()) continue;
        std::set<std::string> missing = lines_missing(step.printed, of_block);
        // An explanation is of the last pass, which may have begun before the change.
        if (step.command.starts_with("capstan explain "))
            becomes(10s, [&] {
                missing = lines_missing(step.printed, out = type(step.command));
                return missing.empty();
            });
        EXPECT_THAT(missing, ::testing::IsEmpty())
            << "missing in the output of " << step.command << ":\n"
            << of_block << out;
        of_block.clear();
    }
    EXPECT_THAT(of_block, HasSubstr("TriggeredScaleUp"));
    EXPECT_THAT(of_block, HasSubstr("autoscalerStatus: Running"));
    EXPECT_EQ(decisions.size(), 4u) << "one increase, one eviction and two removals";
    for (const std::string& line : lines_of(daemon_log()))
        if (is_decision(line))
            EXPECT_TRUE(decisions.contains(normalized_decision(line)))
                << "not in the tutorial: " << line;
    EXPECT_EQ(daemon->end(SIGINT), 0) << daemon_log();
}

}  // namespace
}  // namespace capstan::e2e
