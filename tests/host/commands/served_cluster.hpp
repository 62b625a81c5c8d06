/// The API server of a cluster on loopback, for the shipped binary.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>

#include "simulator/api_server/api_server.hpp"

namespace capstan::commands {

/// An API server in real time that starts without objects.
class ServedCluster {
public:
    /// `fault`: a fault to inject. `fill`: creates objects.
    explicit ServedCluster(
        std::optional<simulator::api_server::ApiFault> fault = std::nullopt,
        const std::function<void(simulator::api_server::ObjectStore&)>& fill = {}) {
        if (fill) fill(store_);
        if (fault) server_.faults().add(*std::move(fault));
        if (const auto listening = server_.listen(); !listening)
            throw std::runtime_error(listening.error().message);
        kubeconfig_ = server_.kubeconfig();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~ServedCluster() {
        io_.stop();
        thread_.join();
    }
    ServedCluster(const ServedCluster&) = delete;
    ServedCluster& operator=(const ServedCluster&) = delete;

    const std::string& kubeconfig() const { return kubeconfig_; }

private:
    boost::asio::io_context io_;
    const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    io::Loop loop_{io_};
    simulator::api_server::ObjectStore store_{loop_, simulator::api_server::ObjectStore::Options{}};
    simulator::api_server::ApiServer server_{store_};
    std::string kubeconfig_;
    std::thread thread_;
};

}  // namespace capstan::commands
