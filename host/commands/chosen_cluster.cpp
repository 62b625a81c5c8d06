#include "commands/chosen_cluster.hpp"

#include <optional>
#include <utility>

#include "commands/options.hpp"

namespace capstan::commands {
namespace {

config::Log warnings_alone() {
    config::Log out;
    out.level = config::LogLevel::warn;
    return out;
}

}  // namespace

void add_cluster_choice(CLI::App& command, ClusterChoice& choice, ClusterDefault by_default) {
    const bool is_configured = by_default == ClusterDefault::configuration;
    add_option(command, "--kubeconfig", choice.kubeconfig, "FILE",
               is_configured
                   ? "Kubeconfig file (default: cluster.kubeconfig of the configuration)"
                   : "Kubeconfig file (default: $KUBECONFIG; without it, the service account "
                     "in a pod, ~/.kube/config elsewhere)");
    add_option(command, "--context", choice.context, "NAME",
               is_configured
                   ? "Context of the kubeconfig (default: cluster.context of the configuration)"
                   : "Context of the kubeconfig (default: its current context)");
}

ChosenCluster::ChosenCluster() : log_(warnings_alone(), loop_.clock()) {}

Result<std::unique_ptr<ChosenCluster>> ChosenCluster::open(const ClusterChoice& choice,
                                                           Access access) {
    std::unique_ptr<ChosenCluster> out(new ChosenCluster);
    config::Cluster cluster;
    cluster.kubeconfig = choice.kubeconfig;
    cluster.context = choice.context;
    CAPSTAN_TRY(out->link_,
                autoscaler::daemon::ClusterLink::open(
                    cluster, out->loop_, out->log_,
                    {.version = CAPSTAN_VERSION, .dry_run = access == Access::read_only}));
    return out;
}

Result<kubernetes::client::ApiReply> send_and_wait(kubernetes::client::Api& api, io::Loop& loop,
                                                   kubernetes::client::ApiRequest request) {
    std::optional<Result<kubernetes::client::ApiReply>> reply;
    api.send(std::move(request),
             [&reply](Result<kubernetes::client::ApiReply> result) { reply = std::move(result); });
    while (!reply) {
        if (loop.io().run_one() == 0) loop.io().restart();
    }
    return *std::move(reply);
}

}  // namespace capstan::commands
