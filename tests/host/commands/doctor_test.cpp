// What scripts learn from `capstan doctor`: its exit code, by an API server on loopback.
#include <gmock/gmock.h>

#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>

#include "io/http_server.hpp"
#include "served_cluster.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using simulation::api_server::ApiFault;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
                               Not(HasSubstr("MISSING"))));
    const char* const about_root = "TO DO\n  user: run as a dedicated user";
    EXPECT_THAT(ran.out, ::geteuid() == 0 ? ::testing::Matcher<std::string>(HasSubstr(about_root))
                                          : Not(HasSubstr("TO DO")));
}

TEST(Doctor, SaysThatNothingIsBalanced) {
    const Served served;
    const Ran ran = doctor(served.kubeconfig(), "-o json",
                           one_cloud + std::string("[pipeline.scale_up]\nsimilarity = []\n"));
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr(R"({"verdict":"warning","what":"balancing")"),
                               HasSubstr(R"(similarity = [\"resources\", \"labels\"])")));
}

/// Refuses every request and repeats the credentials that came with it.
class Echo {
public:
    Echo() {
        server_ =
            io::HttpServer::listen(
                io_, {},
                [](const io::ServedRequest& request, const io::Responder& responder) {
                    responder.send({401,
                                    {{"content-type", "text/plain"}},
                                    "who is " + std::string(request.header("authorization"))});
                })
                .value();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Echo() {
        io_.stop();
        thread_.join();
    }
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;

    std::string kubeconfig(const std::string& user) const {
        return "{current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], "
               "clusters: [{name: a, cluster: {server: 'http://127.0.0.1:" +
               std::to_string(server_->port()) + "'}}], users: [{name: a, user: {" + user + "}}]}";
    }

private:
    boost::asio::io_context io_;
    std::unique_ptr<io::HttpServer> server_;
    std::thread thread_;
};

const std::string secret_token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl";

TEST(Doctor, ShowsNoCredentialsThatAServerSendsBack) {
    const Echo echo;
    for (const std::string& user :
         {"token: " + secret_token, "username: ann, password: '" + secret_token + "'"}) {
        const Ran ran = doctor(echo.kubeconfig(user));
        EXPECT_EQ(ran.code, 1) << ran.err;
        EXPECT_THAT(ran.out, HasSubstr("[redacted]"));
        for (const std::string& text : {ran.out, ran.err})
            EXPECT_THAT(text, AllOf(Not(HasSubstr("eyJhb")), Not(HasSubstr("YW5uOmV5")))) << user;
    }
}

/// Neither does the daemon, in all that it says until it is told to stop.
TEST(Run, LogsNoCredentialsThatAServerSendsBack) {
    const Echo echo;
    const Folder folder;
    const std::string access =
        folder.write("kubeconfig", echo.kubeconfig("token: " + secret_token));
    const std::string config =
        folder.write("config.toml", "[cluster]\nkubeconfig = \"" + access +
                                        "\"\n[admin]\nlisten = \"\"\n" + one_cloud);
    const std::string log = (folder.path() / "log").string();
    // A file, so that no other shell reads its "$!"; what it started is ended in any case.
    const std::string script = folder.write(
        "script", "'" + (build_tree() / "bin/capstan").string() + "' run --config '" + config +
                      "' 2>'" + log + "' &\ntrap 'kill -KILL $!' EXIT\nfor i in $(seq 600); do\n" +
                      "  grep -q redacted '" + log + "' && kill $! && wait $! && trap - EXIT && " +
                      "exit 0\n  kill -0 $! || exit 9\n  sleep 0.1\ndone\nexit 8\n");
    const int status = std::system(("sh '" + script + "'").c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    EXPECT_THAT(folder.read("log"),
                AllOf(HasSubstr("401"), HasSubstr("Bearer [redacted]"), Not(HasSubstr("eyJhb"))));
}

TEST(Doctor, ExitsOneForARightThatIsNotKnownToBeThere) {
    const Served served(ApiFault{.verb = "create",
                                 .resource = "selfsubjectaccessreviews.authorization.k8s.io",
                                 .status = 403});
    const Ran ran = doctor(served.kubeconfig());
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("MISSING  right to list nodes"), HasSubstr("\nTO DO\n"),
                               HasSubstr("\n  right to list nodes: ")));
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
    EXPECT_THAT(ran.out, HasSubstr(R"({"verdict":"warning","what":"node groups")"));
}

TEST(Doctor, ExitsOneForAConfigurationThatIsNotSound) {
    const Ran ran = doctor("", "", "[pipeline]\nclouds = [\"nowhere\"]\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("MISSING  configuration"));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("config.toml:"), HasSubstr("nowhere")));
}

}  // namespace
}  // namespace capstan::commands
