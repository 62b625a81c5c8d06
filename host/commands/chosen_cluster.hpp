/// The cluster of a command that needs no configuration, chosen as kubectl chooses one.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <capstan/result.hpp>

#include "autoscaler/daemon/cluster_link.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

struct ClusterChoice {
    std::string kubeconfig;  ///< a file; empty: see kubernetes::client::AccessChoice
    std::string context;     ///< a context of that file; empty: its current context
};

/// What applies without --kubeconfig and --context.
enum class ClusterDefault { environment, configuration };
/// Adds --kubeconfig and --context to `command`; `choice` has to outlive it.
void add_cluster_choice(CLI::App& command, ClusterChoice& choice, ClusterDefault by_default);

/// A connection to the chosen cluster, on a loop of its own. Logs warnings and errors only.
class ChosenCluster {
public:
    enum class Access { read_only, full };
    /// Sends no request yet. The error `invalid_config` says what to fix in the kubeconfig.
    static Result<std::unique_ptr<ChosenCluster>> open(const ClusterChoice& choice, Access access);
    ChosenCluster(const ChosenCluster&) = delete;
    ChosenCluster& operator=(const ChosenCluster&) = delete;

    kubernetes::client::Api& api() noexcept { return link_->api(); }
    io::Loop& loop() noexcept { return loop_; }

private:
    ChosenCluster();

    boost::asio::io_context io_;
    const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    io::Loop loop_{io_};
    plugin_runtime::services::Logger log_;
    std::unique_ptr<autoscaler::daemon::ClusterLink> link_;  ///< not NULL
};

/// Sends the request and runs the loop until the reply is there.
Result<kubernetes::client::ApiReply> send_and_wait(kubernetes::client::Api& api, io::Loop& loop,
                                                   kubernetes::client::ApiRequest request);

}  // namespace capstan::commands
