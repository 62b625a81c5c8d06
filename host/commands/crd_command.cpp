#include <string>

#include <CLI/CLI.hpp>

#include "commands/chosen_cluster.hpp"
#include "commands/command_line.hpp"
#include "commands/crd.hpp"
#include "commands/exit_code.hpp"

namespace capstan::commands {
namespace {

Result<void> install(const ClusterChoice& choice, std::ostream& out) {
    CAPSTAN_TRY(const boost::json::object definition, parse_definition(balancer_definition));
    CAPSTAN_TRY(const auto cluster, ChosenCluster::open(choice, ChosenCluster::Access::full));
    CAPSTAN_TRY(const std::string outcome,
                install_definition(cluster->api(), cluster->loop(), definition));
    out << "customresourcedefinition.apiextensions.k8s.io/"
        << std::string_view(definition.at("metadata").at("name").as_string()) << ' ' << outcome
        << '\n';
    return {};
}

int run_install(const ClusterChoice& choice, Streams streams) {
    const Result<void> done = install(choice, streams.out);
    if (done) return exit_ok;
    streams.err << "capstan: " << done.error().message << '\n';
    return done.error().code == ErrorCode::invalid_config ? exit_usage : exit_failed;
}

}  // namespace

void add_crd(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "crd", "Print or install the resource definitions that shipped controllers need");
    command.require_subcommand(1);
    CLI::App& print = *command.add_subcommand("print", "Print them, for kubectl apply or Git");
    print.callback([&action] {
        action = [](Streams streams) {
            streams.out << balancer_definition;
            return exit_ok;
        };
    });
    CLI::App& install = *command.add_subcommand(
        "install", "Apply them to a cluster; doing so again changes nothing");
    auto choice = std::make_shared<ClusterChoice>();
    add_cluster_choice(install, *choice);
    install.callback([&action, choice] {
        action = [choice](Streams streams) { return run_install(*choice, streams); };
    });
}

}  // namespace capstan::commands
