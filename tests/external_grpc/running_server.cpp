#include "running_server.hpp"

#include <cstdlib>
#include <fstream>

namespace capstan::external_grpc {
namespace {

namespace fs = std::filesystem;

constexpr const char* python = "build/python/bin/python";
constexpr const char* go_server = "build/go/external_grpc_server";

/// Why the server cannot run; empty if it can.
std::string missing_because(Server server) {
    if (server == Server::go) {
        return fs::exists(go_server)
                   ? ""
                   : std::string(go_server) + " is missing; ./dev packages test builds it";
    }
    bool is_there = false;
    std::error_code none;
    for (const auto& version : fs::directory_iterator("build/python/lib", none))
        is_there = is_there || fs::exists(version.path() / "site-packages/grpc");
    return is_there ? "" : std::string(python) + " has no grpcio; ./dev packages test installs it";
}

fs::path make_folder() {
    std::string name = (fs::temp_directory_path() / "external_grpc_XXXXXX").string();
    return mkdtemp(name.data());
}

}  // namespace

RunningServer::RunningServer(Server server, const std::vector<std::string>& arguments)
    : folder_(make_folder()), port_file_((folder_ / "port").string()) {
    std::vector<std::string> command{go_server};
    if (server == Server::python) command = {python, "tests/external_grpc/server"};
    command.push_back(port_file_);
    command.insert(command.end(), arguments.begin(), arguments.end());
    process_.emplace(command, e2e::Process::Variables{}, folder_ / "log");
}

RunningServer::~RunningServer() {
    process_.reset();
    fs::remove_all(folder_);
}

std::string RunningServer::url() const {
    EXPECT_TRUE(e2e::becomes(e2e::Seconds(60), [&] { return fs::exists(port_file_); }));
    std::string port;
    std::ifstream(port_file_) >> port;
    return "http://127.0.0.1:" + port;
}

std::vector<std::string> RunningServer::last_request() const {
    std::ifstream file(port_file_ + ".asked");
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line);) out.push_back(line);
    return out;
}

void GrpcServers::SetUp() {
    const std::string because = missing_because(GetParam());
    if (because.empty()) return;
    const char* const ci = std::getenv("CI");
    const bool is_demanded = ci != nullptr && std::string(ci) == "true";
    ASSERT_FALSE(is_demanded) << because;
    GTEST_SKIP() << because;
}

}  // namespace capstan::external_grpc
