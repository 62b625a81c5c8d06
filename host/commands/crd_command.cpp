#include <string>

#include <CLI/CLI.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "commands/command_line.hpp"
#include "commands/crd.hpp"
#include "commands/exit_code.hpp"
#include "runtime/daemon/cluster_link.hpp"

namespace capstan::commands {
namespace {

struct CrdArguments {
    std::string kubeconfig, context;
};

Result<void> install(const CrdArguments& arguments, std::ostream& out) {
    CAPSTAN_TRY(const boost::json::object definition, parse_definition(balancer_definition));
    boost::asio::io_context io;
    const auto work = boost::asio::make_work_guard(io);
    io::Loop loop(io);
    runtime::Cluster cluster;
    cluster.kubeconfig = arguments.kubeconfig;
    cluster.context = arguments.context;
    runtime::Log config;
    config.level = runtime::LogLevel::warn;
    runtime::Logger log(config, loop.clock());
    CAPSTAN_TRY(const auto link,
                runtime::ClusterLink::open(cluster, loop, log, {.version = CAPSTAN_VERSION}));
    CAPSTAN_TRY(const std::string outcome, install_definition(link->api(), loop, definition));
    out << "customresourcedefinition.apiextensions.k8s.io/"
        << std::string_view(definition.at("metadata").at("name").as_string()) << ' ' << outcome
        << '\n';
    return {};
}

int run_install(const CrdArguments& arguments, Streams streams) {
    const Result<void> done = install(arguments, streams.out);
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
    auto arguments = std::make_shared<CrdArguments>();
    install
        .add_option("--kubeconfig", arguments->kubeconfig,
                    "The file that names the cluster; by default as kubectl finds it")
        ->type_name("FILE");
    install.add_option("--context", arguments->context, "The context of that file");
    install.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_install(*arguments, streams); };
    });
}

}  // namespace capstan::commands
