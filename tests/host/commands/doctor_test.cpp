// What scripts learn from `capstan doctor`: its exit code, by an API server on loopback.
#include <gmock/gmock.h>

#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>

#include "shell.hpp"
#include "simulation/api_server/api_server.hpp"

namespace capstan::commands {
namespace {

using simulation::ApiFault;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// An API server of a cluster without anything, in real time.
class Served {
public:
    /// `fault`: what it does wrong.
    explicit Served(std::optional<ApiFault> fault = std::nullopt) {
        if (fault) server_.faults().add(*std::move(fault));
        if (const auto listening = server_.listen(); !listening)
            throw std::runtime_error(listening.error().message);
        kubeconfig_ = server_.kubeconfig();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Served() {
        io_.stop();
        thread_.join();
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    const std::string& kubeconfig() const { return kubeconfig_; }

private:
    boost::asio::io_context io_;
    const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    io::Loop loop_{io_};
    simulation::ObjectStore store_{loop_, simulation::ObjectStore::Options{}};
    simulation::ApiServer server_{store_};
    std::string kubeconfig_;
    std::thread thread_;
};

constexpr const char* one_cloud = "[pipeline]\nclouds = [\"simulated\"]\n";

/// With a configuration of this cluster that has a cloud, or what is given for it.
Ran doctor(const std::string& kubeconfig, const std::string& arguments = {},
           const std::string& cloud = one_cloud) {
    const Folder folder;
    const std::string access = folder.write("kubeconfig", kubeconfig);
    const std::string config =
        folder.write("config.toml",
                     "[cluster]\nkube_client_qps = 1000\nkube_client_burst = 1000\n"
                     "kubeconfig = \"" +
                         access + "\"\n" + cloud);
    return capstan("doctor --config '" + config + "' " + arguments);
}

TEST(Doctor, ExitsZeroWhereAllIsWell) {
    const Served served;
    const Ran ran = doctor(served.kubeconfig());
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("rules granted"), HasSubstr("1 group found"),
                               Not(HasSubstr("MISSING")), Not(HasSubstr("TO DO"))));
}

TEST(Doctor, ExitsOneForARightThatIsNotKnownToBeThere) {
    const Served served(ApiFault{.verb = "create",
                                 .resource = "selfsubjectaccessreviews.authorization.k8s.io",
                                 .status = 403});
    const Ran ran = doctor(served.kubeconfig());
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("MISSING  right to list nodes"),
                               HasSubstr("\nTO DO\n  right to list nodes: ")));
}

TEST(Doctor, ExitsOneForAServerOutOfReach) {
    const std::string kubeconfig = Served().kubeconfig();
    const Ran ran = doctor(kubeconfig);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("MISSING  API server"),
                               HasSubstr("  API server: check the address")));
}

TEST(Doctor, ExitsZeroWhereSomethingIsOnlyToBeLookedAt) {
    const Served served;
    const Ran ran = doctor(served.kubeconfig(), "-o json",
                           std::string(one_cloud) + "[plugin.simulated.settings]\ngroups = []\n");
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(R"({"verdict":"look","what":"node groups")"));
}

TEST(Doctor, ExitsOneForAConfigurationThatIsNotSound) {
    const Ran ran = doctor("", "", "[pipeline]\nclouds = [\"nowhere\"]\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("MISSING  configuration"));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("config.toml:"), HasSubstr("nowhere")));
}

}  // namespace
}  // namespace capstan::commands
