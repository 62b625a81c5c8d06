/// The servers of this folder as programs that run beside a test.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../e2e/process.hpp"

namespace capstan::external_grpc {

/// `./dev packages test` makes both.
enum class Server { python, go };

/// Runs until the end of its life.
class RunningServer {
public:
    /// `arguments` as the server takes them after its file.
    RunningServer(Server server, const std::vector<std::string>& arguments);
    ~RunningServer();
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    /// Waits until it listens.
    std::string url() const;
    /// What its expander was asked last, line by line.
    std::vector<std::string> asked() const;

private:
    const std::filesystem::path folder_;
    const std::string port_file_;
    std::optional<e2e::Process> process_{};
};

/// Skips tests of a server that is not there; in CI Python's must be.
class GrpcServers : public ::testing::TestWithParam<Server> {
protected:
    void SetUp() override;
};
inline const auto both_servers = ::testing::Values(Server::python, Server::go);
inline std::string name_of_server(const ::testing::TestParamInfo<Server>& test) {
    return test.param == Server::python ? "PythonGrpcio" : "GrpcGo";
}

}  // namespace capstan::external_grpc
