/// The servers of this folder as processes of a test.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../e2e/process.hpp"

namespace capstan::external_grpc {

/// `./dev packages test` installs both servers.
enum class Server { python, go };

/// Runs until it is destroyed.
class RunningServer {
public:
    /// `arguments`: of the server, after its port file.
    RunningServer(Server server, const std::vector<std::string>& arguments);
    ~RunningServer();
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    /// Its URL; waits until it listens.
    std::string url() const;
    /// The last request to its expander, line by line.
    std::vector<std::string> last_request() const;

private:
    const std::filesystem::path folder_;
    const std::string port_file_;
    std::optional<e2e::Process> process_{};
};

/// Skips tests of a server that is not installed; in CI they fail.
class GrpcServers : public ::testing::TestWithParam<Server> {
protected:
    void SetUp() override;
};
inline const auto both_servers = ::testing::Values(Server::python, Server::go);
inline std::string name_of_server(const ::testing::TestParamInfo<Server>& test) {
    return test.param == Server::python ? "PythonGrpcio" : "GrpcGo";
}

}  // namespace capstan::external_grpc
