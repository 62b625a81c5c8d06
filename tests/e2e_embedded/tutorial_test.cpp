// docs/tutorial.md, command by command as it stands there, with a cluster in memory in place of
// kwok's.
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
        // The same with a port that is free, and without half a minute of waiting.
        std::string config = docs::text_of("examples/kwok.toml");
        config = replaced(config, "127.0.0.1:8085", "127.0.0.1:0");
        config = replaced(config, "\"20s\"", "\"3s\"");
        config = replaced(config, "scan_interval = \"5s\"", "scan_interval = \"1s\"");
        std::ofstream(cluster->dir() / "kwok.toml") << config;
        variables = {
            {"KUBECONFIG", (cluster->dir() / "kubeconfig").string()},
            {"PATH", (commands::build_tree() / "bin").string() + ":" + std::getenv("PATH")}};
    }

    /// With what the test has in other places.
    std::vector<std::string> shell(const std::string& command) const {
        // The test's own folder may begin like the tutorial's, so that one comes last.
        std::string here = replaced(command, "/tmp/capstan", (cluster->dir() / "state").string());
        here = replaced(here, "127.0.0.1:8085", "127.0.0.1:" + admin_port());
        const std::string config = (cluster->dir() / "kwok.toml").string();
        return {"bash", "-c", "exec " + replaced(here, "examples/kwok.toml", config)};
    }
    /// What a command printed that ends by itself.
    std::string type(const std::string& command) const {
        const Said said = run(shell(command), variables);
        EXPECT_EQ(said.code, 0) << command << "\n" << said.out << said.errors;
        return replaced(said.out, (cluster->dir() / "kwok.toml").string(), "examples/kwok.toml");
    }
    std::string told() const { return docs::text_of(log); }
    /// As the daemon has told it; empty: it has not.
    std::string admin_port() const {
        const std::string text = told(), before = "admin port: ";
        const std::size_t at = text.find(before);
        if (at == std::string::npos) return {};
        const std::size_t first = at + before.size();
        return text.substr(first, text.find('\n', first) - first);
    }
    int machines() const {
        return cluster->api().nodes_of("shop-a") + cluster->api().nodes_of("shop-b");
    }
    /// Types a command, and waits for what it is to bring about.
    std::string carry_out(const std::string& command) {
        if (command.starts_with("capstan run ")) {
            daemon = std::make_unique<Process>(shell(command), variables, log);
            EXPECT_TRUE(becomes(30s, [&] { return told().find("is seen") != std::string::npos; }));
            return told();
        }
        const std::string out = type(command);
        const Api& api = cluster->api();
        if (command == "kubectl apply -f examples/kwok.yaml")
            EXPECT_TRUE(becomes(60s, [&] { return api.ready_pods("shop") == 12; })) << told();
        if (command.starts_with("kubectl scale "))
            EXPECT_TRUE(becomes(60s, [&] {
                return machines() == 1 && api.ready_pods("shop") == 4;
            })) << told();
        return out;
    }

    std::unique_ptr<EmbeddedCluster> cluster;
    std::filesystem::path log;
    Process::Variables variables;
    std::unique_ptr<Process> daemon;
};

/// Making the program, and clusters of other kinds than the test's.
bool is_of_the_start(const std::string& command) {
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

/// Without what differs each time: addresses, versions, ages, names of hosts, and blanks.
std::string form_of(const std::string& line) {
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

/// Of a decision in the log, also without its subjects and numbers.
std::string decision_form_of(const std::string& line) {
    static const Replacements varying = {{std::regex("default/shop-[^ ]+"), "POD"},
                                         {std::regex("shop-[ab]-[0-9]+"), "NODE"},
                                         // Nodes of one group go in one line.
                                         {std::regex("NODE(, NODE)+ from"), "NODE from"},
                                         {std::regex(": NODE: (.*?), NODE: .*"), ": $1"},
                                         {std::regex("shop-[ab]"), "GROUP"},
                                         {std::regex("; agreed to after .*"), ""},
                                         {std::regex("(one|smallest) of"), "of"},
                                         {std::regex("[0-9]+"), "N"},
                                         {std::regex("pods? fits?"), "pods fit"},
                                         {std::regex("N pods?"), "N pods"}};
    return with_all_replaced(form_of(line), varying);
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

/// Of what should be printed, but for decisions, in the form it has each time.
std::set<std::string> lines_missing(const std::vector<std::string>& printed,
                                    const std::string& out) {
    std::set<std::string> missing;
    for (const std::string& line : printed)
        if (!is_decision(line)) missing.insert(form_of(line));
    for (const std::string& line : lines_of(out)) missing.erase(form_of(line));
    return missing;
}

TEST_F(Tutorial, DoesWhatItPrintsTypedLiterally) {
    std::set<std::string> decisions;
    std::string of_block;
    for (const docs::Shown& step : docs::shown_commands("docs/tutorial.md")) {
        for (const std::string& line : step.printed)
            if (is_decision(line)) decisions.insert(decision_form_of(line));
        if (is_of_the_start(step.command)) continue;
        std::string out = carry_out(step.command);
        // What a block prints stands behind its last command.
        of_block += out;
        if (step.printed.empty()) continue;
        std::set<std::string> missing = lines_missing(step.printed, of_block);
        // An explanation is of the last pass, which may have been one ago.
        if (step.command.starts_with("capstan explain "))
            becomes(10s, [&] {
                missing = lines_missing(step.printed, out = type(step.command));
                return missing.empty();
            });
        EXPECT_THAT(missing, ::testing::IsEmpty()) << "of " << step.command << ", which printed\n"
                                                   << of_block << out;
        of_block.clear();
    }
    EXPECT_THAT(of_block, HasSubstr("TriggeredScaleUp"));
    EXPECT_THAT(of_block, HasSubstr("autoscalerStatus: Running"));
    EXPECT_EQ(decisions.size(), 4u) << "of increases, evictions, and two of removals";
    for (const std::string& line : lines_of(told()))
        if (is_decision(line))
            EXPECT_TRUE(decisions.contains(decision_form_of(line)))
                << "not in the tutorial: " << line;
    EXPECT_EQ(daemon->end(SIGINT), 0) << told();
}

}  // namespace
}  // namespace capstan::e2e
