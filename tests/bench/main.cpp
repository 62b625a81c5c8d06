// capstan-bench: measures decisions and their parts, and prints one line of JSON for each case.
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

#include "cases.hpp"

namespace {

using namespace capstan::bench;

struct Arguments {
    Workload workload;
    Mix mix;
    SpreadWorkload spread;
    ProvisioningWorkload provisioning{};
    Soak soak;
    Reaction reaction{};
    bool deciding = false;
    int repeat = 3;
};
using Case = std::function<boost::json::object(const Arguments&)>;

/// Adds the command `name`. When it is chosen, `measure` is stored in `chosen`.
CLI::App& add_case(CLI::App& app, const char* name, const char* what, Arguments& arguments,
                   Case& chosen, const Case& measure) {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option("--repeat", arguments.repeat, "Number of runs; the median is reported")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.callback([&chosen, measure] { chosen = measure; });
    return command;
}

void add_count(CLI::App& command, const char* name, int& count, const char* what, int min) {
    command.add_option(name, count, what)
        ->check(CLI::Range(min, 10'000'000))
        ->capture_default_str();
}

void add_groups(CLI::App& command, Workload& workload) {
    add_count(command, "--groups", workload.groups, "Node groups", 1);
}

void add_pending(CLI::App& command, Workload& workload) {
    static const std::map<std::string, Constraint> constraints{
        {"none", Constraint::none},
        {"zone-spread", Constraint::zone_spread},
        {"host-spread", Constraint::host_spread},
        {"host-anti-affinity", Constraint::host_anti_affinity}};
    add_count(command, "--nodes", workload.nodes, "Existing nodes, all full", 0);
    add_count(command, "--pods", workload.pods, "Pending pods", 0);
    add_count(command, "--classes", workload.classes,
              "Equivalence groups of pending pods; 0: all distinct", 0);
    add_groups(command, workload);
    command.add_option("--constraint", workload.constraint, "Constraint between pending pods")
        ->transform(CLI::CheckedTransformer(constraints));
}

void add_running(CLI::App& command, Workload& workload) {
    static const std::map<std::string, Shape> shapes{
        {"packable", Shape::packable}, {"mixed", Shape::mixed}, {"full", Shape::full}};
    static const std::map<std::string, Constraint> spreads{{"none", Constraint::none},
                                                           {"zone", Constraint::zone_spread},
                                                           {"host", Constraint::host_spread}};
    add_count(command, "--nodes", workload.nodes, "Nodes", 0);
    add_count(command, "--pods-per-node", workload.running_per_node, "Pods on each node", 0);
    add_groups(command, workload);
    command.add_option("--shape", workload.shape, "Utilization of the nodes (packable)")
        ->transform(CLI::CheckedTransformer(shapes));
    command
        .add_option("--spread", workload.spread,
                    "Topology over which running pods are spread (none)")
        ->transform(CLI::CheckedTransformer(spreads));
}

void add_live_cases(CLI::App& app, Arguments& arguments, Case& chosen) {
    CLI::App& soak = add_case(app, "soak", "The daemon on virtual time, once", arguments, chosen,
                              [](const Arguments& a) { return measure_soak(a.soak); });
    add_count(soak, "--nodes", arguments.soak.nodes, "Nodes", 10);
    add_count(soak, "--hours", arguments.soak.hours, "Hours of virtual time", 1);
    add_count(soak, "--replaced", arguments.soak.replaced_per_second,
              "Pods that are replaced per second", 0);
    add_count(soak, "--burst", arguments.soak.burst,
              "Pods that need new nodes, every twenty minutes", 0);
    CLI::App& reaction = add_case(
        app, "reaction", "From an unschedulable pod to the order of its node, in real time, once",
        arguments, chosen, [](const Arguments& a) { return measure_reaction(a.reaction); });
    add_count(reaction, "--nodes", arguments.reaction.nodes, "Nodes", 10);
    add_count(reaction, "--pods-per-node", arguments.reaction.pods_per_node, "Pods on each node",
              0);
    add_count(reaction, "--hopeless", arguments.reaction.hopeless, "Pods that are always pending",
              0);
    add_count(reaction, "--samples", arguments.reaction.samples, "Number of measurements", 1);
    add_count(reaction, "--qps", arguments.reaction.requests_per_second,
              "API requests per second of the daemon; twice that in a burst", 1);
}

void add_cases(CLI::App& app, Arguments& arguments, Case& chosen) {
    Workload& workload = arguments.workload;
    add_pending(add_case(app, "scale-up", "A scale-up pass", arguments, chosen,
                         [](const Arguments& a) { return measure_scale_up(a.workload, a.repeat); }),
                workload);
    add_pending(add_case(app, "filter", "Which pods fit on existing nodes", arguments, chosen,
                         [](const Arguments& a) { return measure_filter(a.workload, a.repeat); }),
                workload);
    add_running(
        add_case(app, "scale-down", "A scale-down pass: unneeded nodes", arguments, chosen,
                 [](const Arguments& a) { return measure_scale_down(a.workload, a.repeat); }),
        workload);
    CLI::App& mixed = add_case(app, "mixed", "Karpenter's mix of pods", arguments, chosen,
                               [](const Arguments& a) { return measure_mixed(a.mix, a.repeat); });
    add_count(mixed, "--pods", arguments.mix.pods, "Pending pods", 5);
    add_count(mixed, "--machines", arguments.mix.machines, "Machine types, one group each", 1);
    mixed.add_option("--seed", arguments.mix.seed, "Seed of the pods")->capture_default_str();
    CLI::App& spread =
        add_case(app, "spread", "ReplicaSets spread over zones", arguments, chosen,
                 [](const Arguments& a) { return measure_spread(a.spread, a.repeat); });
    add_count(spread, "--nodes", arguments.spread.nodes, "Nodes, all full", 1);
    add_count(spread, "--replica-sets", arguments.spread.replica_sets, "ReplicaSets", 0);
    add_count(spread, "--running", arguments.spread.running, "Running pods of each ReplicaSet", 0);
    add_count(spread, "--pending", arguments.spread.pending, "Pending pods of each ReplicaSet", 0);
    spread.add_flag("--emulated", arguments.spread.emulated, "Emulate the constraint");
    ProvisioningWorkload& creation = arguments.provisioning;
    CLI::App& provisioning =
        add_case(app, "provisioning", "A pass in which groups could be created", arguments, chosen,
                 [](const Arguments& a) { return measure_provisioning(a.provisioning, a.repeat); });
    add_count(provisioning, "--nodes", creation.cluster.nodes, "Nodes, all full", 1);
    add_count(provisioning, "--groups", creation.cluster.groups, "Existing groups", 1);
    add_count(provisioning, "--types", creation.types, "Machine types", 1);
    add_count(provisioning, "--zones", creation.zones, "Zones", 1);
    add_count(provisioning, "--selectors", creation.selectors, "Selectors of pending pods", 1);
    CLI::App& snapshot =
        add_case(app, "snapshot", "Building a cluster from objects", arguments, chosen,
                 [](const Arguments& a) { return measure_snapshot(a.workload, a.repeat); });
    add_count(snapshot, "--nodes", workload.nodes, "Nodes", 0);
    add_count(snapshot, "--pods-per-node", workload.running_per_node, "Pods on each node", 0);
    add_groups(snapshot, workload);
    CLI::App& similar = add_case(
        app, "similar", "Finding similar groups", arguments, chosen,
        [](const Arguments& a) { return measure_similar(a.workload, a.deciding, a.repeat); });
    add_groups(similar, workload);
    similar.add_flag("--deciding", arguments.deciding, "One shared label decides");
    CLI::App& decode =
        add_case(app, "decode", "Decoding a list of pods in Kubernetes JSON", arguments, chosen,
                 [](const Arguments& a) { return measure_decode(a.workload.pods, a.repeat); });
    add_count(decode, "--pods", workload.pods, "Pods in the list", 0);
    CLI::App& mirror = add_case(
        app, "mirror", "The client's cluster cache: list, changes, second list, once", arguments,
        chosen,
        [](const Arguments& a) { return measure_mirror(a.workload.nodes, a.workload.pods); });
    add_count(mirror, "--nodes", workload.nodes, "Nodes", 1);
    add_count(mirror, "--pods", workload.pods, "Pods", 0);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measure Capstan's decisions; prints one line of JSON per case", "capstan-bench");
    app.require_subcommand(1);
    Arguments arguments;
    Case chosen;
    add_cases(app, arguments, chosen);
    add_live_cases(app, arguments, chosen);
    CLI11_PARSE(app, argc, argv);
    try {
        std::cout << boost::json::serialize(chosen(arguments)) << '\n';
    } catch (const std::exception& problem) {
        std::cerr << "capstan-bench: " << problem.what() << '\n';
        return 1;
    }
}
