// Texts that no shipped program prints by itself: `daemon` runs whole daemons on virtual time and
// prints their log lines, Events, status and metrics; `runtime` prints texts about plugins that
// fail and pages of the admin port; `codes` prints the codes of reasons, and `rare_reasons` reasons
// that no scenario shows; `scenario_keys` prints the keys of scenarios.
#include <chrono>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "../faults/daemon_fixture.hpp"
#include "autoscaler/record/described_types.hpp"
#include "config/schema.hpp"
#include "rare_reasons.hpp"
#include "runtime_texts.hpp"
#include "simulator/scenario.hpp"

namespace capstan::golden {
namespace {

using faults::DaemonFixture;
using faults::DaemonFixtureSettings;
using kubernetes::base::text_at;
using simulator::api_server::ApiObject;
using namespace std::chrono_literals;

void print_events(DaemonFixture& fixture) {
    std::cerr << "\nEVENTS\n";
    for (const ApiObject& event : fixture.events())
        std::cerr << text_at(*event, "type") << ' ' << text_at(*event, "reason") << ' '
                  << text_at(*event, "involvedObject.kind") << '/'
                  << text_at(*event, "involvedObject.name") << ": " << text_at(*event, "message")
                  << '\n';
}

void print_status(DaemonFixture& fixture) {
    const ApiObject map = fixture.store().find(fixture.store().kind("configmaps"), "kube-system",
                                               "cluster-autoscaler-status");
    std::cerr << "\nSTATUS\n" << (map == nullptr ? "none\n" : text_at(*map, "data.status")) << '\n';
}

void refuse(DaemonFixture& fixture, const char* verb, const char* resource) {
    fixture.server().faults().add({.verb = verb, .resource = resource, .status = 403, .times = {}});
}

/// Runs daemons one after another. A daemon writes its log to standard error, so everything else
/// is printed there, too.
class DaemonRuns {
public:
    using Prepare = std::function<void(DaemonFixture&)>;

    void run(const char* title, DaemonFixtureSettings settings, const Prepare& prepare = {}) {
        std::cerr << "\n### " << title << "\n\n";
        settings.log_level = "info";
        DaemonFixture fixture(settings);
        if (prepare) prepare(fixture);
        fixture.run(12min, [&] {
            if (metrics_.empty()) print_status(fixture);
            std::istringstream lines(fixture.metrics().text());
            for (std::string line; std::getline(lines, line);)
                if (line.starts_with("# HELP ")) metrics_.insert(line.substr(7));
        });
        print_events(fixture);
    }
    void print_metrics() const {
        std::cerr << "\n### metrics\n\n";
        for (const std::string& line : metrics_) std::cerr << line << '\n';
    }

private:
    std::set<std::string> metrics_;
};

void print_daemon_texts() {
    DaemonRuns daemons;
    daemons.run("a node is ordered, another one is removed", {});
    daemons.run("the cloud refuses removals, and the API server evictions",
                {.group = "changes = [{ at = \"0s\", fail_removals = { code = \"permission\", "
                          "message = \"not allowed\" } }]"},
                [](DaemonFixture& fixture) {
                    fixture.server().faults().add(
                        {.resource = "pods", .subresource = "eviction", .status = 429, .times = 5});
                });
    daemons.run("the cloud has no capacity", {.group = "capacity = 2"});
    daemons.run("the cloud refuses increases",
                {.group = "fail = { code = \"quota\", message = \"5 of 5 machines are used\" }"});
    daemons.run("a machine never joins",
                {.scale_down = "[scale_up]\nmax_node_provision_time = \"3m\""},
                [](DaemonFixture& fixture) {
                    fixture.at(15s, [&fixture] { refuse(fixture, "create", "nodes"); });
                });
    daemons.run("a spot machine leaves",
                {.group = "changes = [{ at = \"40s\", notice = { reason = \"spot_interruption\", "
                          "after = \"2m\" } }, { at = \"160s\", lose = 1 }]"});
    daemons.run("requests are forbidden", {}, [](DaemonFixture& fixture) {
        refuse(fixture, "create", "events");
        refuse(fixture, "patch", "nodes");
        refuse(fixture, "watch", "services");
    });
    daemons.run("the API server is out of reach for three minutes", {}, [](DaemonFixture& fixture) {
        fixture.at(3min, [&fixture] { fixture.network().set_reachable(false); });
        fixture.at(6min, [&fixture] { fixture.network().set_reachable(true); });
    });
    daemons.run("the configuration is reloaded", {}, [](DaemonFixture& fixture) {
        const auto reload_at = [&fixture](Duration when, const char* more) {
            fixture.at(when, [&fixture, more] { fixture.reload(more); });
        };
        reload_at(5min, "utilization_threshold = 0.4\n");
        reload_at(6min, "utilization_threshold = 0.4\n");
        reload_at(7min, "utilization_threshold = 7\nunneded_time = \"1m\"\n");
        reload_at(8min, "utilization_threshold = 0.4\n[watchdog]\nmemory_max = \"1Gi\"\n");
    });
    daemons.print_metrics();
}

/// Prints two names of each code, such as "node_resources_fit NodeResourcesFit": the name in
/// records of passes, and the name in all other texts.
template <class Code>
void print_codes() {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<Code>>(
        [](const auto& each) { std::cout << each.name << ' ' << name_of(each.value) << '\n'; });
}

void print_keys(const config::Fields& fields, const std::string& path) {
    for (const config::Field& field : fields) {
        const std::string key = path + field.key;
        std::cout << key << "\n  " << field.doc << "\n  type: " << describe_type(field) << '\n';
        if (!field.default_toml.empty()) std::cout << "  default: " << field.default_toml << '\n';
        print_keys(field.fields, key + ".");
    }
}

}  // namespace
}  // namespace capstan::golden

int main(int count, char** arguments) {
    using namespace capstan;
    const std::string what = count == 2 ? arguments[1] : "";
    if (what == "daemon") return golden::print_daemon_texts(), 0;
    if (what == "runtime") return golden::print_runtime_texts(), 0;
    if (what == "scenario_keys") return golden::print_keys(simulator::scenario_schema(), ""), 0;
    if (what == "rare_reasons") {
        for (const engine::Reason& reason : golden::rare_reasons())
            std::cout << boost::describe::enum_to_string(reason.code, "") << ' ' << reason.sentence
                      << '\n';
        return 0;
    }
    if (what != "codes") return 2;
    golden::print_codes<engine::ReasonCode>();
    golden::print_codes<engine::Unremovable>();
}
