// Exit codes of `capstan doctor`, with an API server on loopback.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/json.hpp>

#include "io/http_server.hpp"
#include "served_cluster.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using simulator::api_server::ApiFault;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* one_cloud = "[pipeline]\nclouds = [\"simulated\"]\n";

/// Runs doctor with a configuration that has `kubeconfig` and `cloud`.
CommandResult doctor(const std::string& kubeconfig, const std::string& arguments = {},
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

TEST(Doctor, ExitsZeroIfAllChecksPass) {
    const ServedCluster cluster;
    const CommandResult ran = doctor(cluster.kubeconfig());
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("rules granted"), HasSubstr("1 group found"),
                               Not(HasSubstr("MISSING"))));
    const char* const root_warning = "TO DO\n  user: run as a dedicated user";
    EXPECT_THAT(ran.out, ::geteuid() == 0 ? ::testing::Matcher<std::string>(HasSubstr(root_warning))
                                          : Not(HasSubstr("TO DO")));
}

TEST(Doctor, PrintsRemediesInTheTableOnRequest) {
    const CommandResult ran = doctor("{}", "-o wide");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(::testing::ContainsRegex("WHAT +FOUND +TO DO\n"),
                               ::testing::ContainsRegex("credentials .* +use --kubeconfig"),
                               Not(HasSubstr("\nTO DO\n"))));
}

/// Refuses every request and repeats its credentials, or sends a page.
class EchoServer {
public:
    explicit EchoServer(const std::string& page = {}) {
        server_ =
            io::HttpServer::listen(
                io_, {},
                [page](const io::ServedRequest& request, const io::Responder& responder) {
                    if (!page.empty())
                        return responder.send({404, {{"content-type", "text/html"}}, page});
                    responder.send({401,
                                    {{"content-type", "text/plain"}},
                                    "who is " + std::string(request.header("authorization"))});
                })
                .value();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~EchoServer() {
        io_.stop();
        thread_.join();
    }
    EchoServer(const EchoServer&) = delete;
    EchoServer& operator=(const EchoServer&) = delete;

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

TEST(Doctor, RedactsCredentialsThatAServerReturns) {
    const EchoServer server;
    for (const std::string& user :
         {"token: " + secret_token, "username: ann, password: '" + secret_token + "'"}) {
        const CommandResult ran = doctor(server.kubeconfig(user));
        EXPECT_EQ(ran.code, 1) << ran.err;
        EXPECT_THAT(ran.out, HasSubstr("[redacted]"));
        for (const std::string& text : {ran.out, ran.err})
            EXPECT_THAT(text, AllOf(Not(HasSubstr("eyJhb")), Not(HasSubstr("YW5uOmV5")))) << user;
    }
}

TEST(Doctor, HasARemedyForEachProblem) {
    const EchoServer unauthorized, page("<!doctype html><html><p>Not here</p></html>");
    for (const std::string& kubeconfig :
         {unauthorized.kubeconfig("token: t"), page.kubeconfig("token: t"), std::string("{}")}) {
        const CommandResult ran = doctor(
            kubeconfig, "-o json",
            "[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\nsettings.groups = [\"0:5:web\"]\n");
        EXPECT_EQ(ran.code, 1) << ran.err;
        int problems = 0;
        const boost::json::value findings = boost::json::parse(ran.out);
        for (const boost::json::value& finding : findings.as_array()) {
            if (finding.at("verdict").as_string() == "ok") continue;
            ++problems;
            EXPECT_FALSE(finding.at("fix").as_string().empty()) << finding;
        }
        EXPECT_GE(problems, 2) << ran.out;
    }
}

/// The same for the log of the daemon, which runs until its log has a redacted line.
TEST(RunLog, RedactsCredentialsThatAServerReturns) {
    const EchoServer server;
    const Folder folder;
    const std::string access =
        folder.write("kubeconfig", server.kubeconfig("token: " + secret_token));
    const std::string config =
        folder.write("config.toml", "[cluster]\nkubeconfig = \"" + access +
                                        "\"\n[admin]\nlisten = \"\"\n" + one_cloud);
    const std::string log = (folder.path() / "log").string();
    // The script is a file, so that no other shell expands its "$!". Its trap kills the daemon if
    // the daemon is not stopped.
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

TEST(Doctor, ExitsOneIfARightCannotBeChecked) {
    const ServedCluster cluster(
        ApiFault{.verb = "create",
                 .resource = "selfsubjectaccessreviews.authorization.k8s.io",
                 .status = 403});
    const CommandResult ran = doctor(cluster.kubeconfig());
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("MISSING  right to list nodes"), HasSubstr("\nTO DO\n"),
                               HasSubstr("\n  right to list nodes: ")));
}

TEST(Doctor, ExitsOneIfTheServerIsUnreachable) {
    const std::string kubeconfig = ServedCluster().kubeconfig();
    const CommandResult ran = doctor(kubeconfig);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("MISSING  API server"),
                               HasSubstr("  API server: check the address")));
}

TEST(Doctor, ExitsZeroWithWarningsOnly) {
    const ServedCluster cluster;
    const CommandResult ran =
        doctor(cluster.kubeconfig(), "-o json",
               std::string(one_cloud) + "[plugin.simulated.settings]\ngroups = []\n");
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(R"({"verdict":"warning","what":"node groups")"));
}

TEST(Doctor, ExitsOneIfTheConfigurationIsInvalid) {
    const CommandResult ran = doctor("", "", "[pipeline]\nclouds = [\"nowhere\"]\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("MISSING  configuration"));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("config.toml:"), HasSubstr("nowhere")));
}

/// Sets KUBECONFIG for the commands of a test.
class KubeconfigVariable {
public:
    explicit KubeconfigVariable(const std::string& file) {
        ::setenv("KUBECONFIG", file.c_str(), 1);
    }
    ~KubeconfigVariable() { ::unsetenv("KUBECONFIG"); }
    KubeconfigVariable(const KubeconfigVariable&) = delete;
    KubeconfigVariable& operator=(const KubeconfigVariable&) = delete;
};

constexpr const char* live_commands[] = {"doctor", "plan", "explain matrix --live"};

TEST(LiveCommands, FindTheClusterByTheEnvironmentOrOptions) {
    const ServedCluster cluster;
    const Folder folder;
    const std::string kubeconfig = folder.write("kubeconfig", cluster.kubeconfig());
    const std::string limits = "[cluster]\nkube_client_qps = 1000\nkube_client_burst = 1000\n";
    const std::string open = folder.write("open.toml", limits + one_cloud);
    const std::string in_cluster =
        folder.write("in_cluster.toml", limits + "kubeconfig = \"in-cluster\"\n" + one_cloud);
    for (const std::string command : live_commands) {
        const auto run = [&](const std::string& config, const std::string& options) {
            return capstan(command + " --config '" + config + "' " + options);
        };
        for (const std::string& config : {open, in_cluster})
            EXPECT_EQ(run(config, "--kubeconfig '" + kubeconfig + "'").code, 0) << command;
        const KubeconfigVariable variable(kubeconfig);
        EXPECT_EQ(run(open, "").code, 0) << command;
        EXPECT_NE(run(in_cluster, "").code, 0) << command;
        const CommandResult context = run(in_cluster, "--context nothere");
        EXPECT_THAT(context.out + context.err, HasSubstr("kubeconfig has no context \"nothere\""));
        EXPECT_EQ(
            run(open, "--set cluster.kubeconfig=in-cluster --kubeconfig '" + kubeconfig + "'").code,
            0)
            << "the option wins";
    }
}

TEST(LiveCommands, SayAtOnceThatTheServerIsUnusable) {
    const EchoServer page("<!doctype html><html><p>Not here</p></html>");
    const std::string served = page.kubeconfig("token: t");
    std::string closed = served;
    const std::size_t port = closed.find("127.0.0.1:");
    closed.replace(port, closed.find('\'', port) - port, "127.0.0.1:9");
    const Folder folder;
    const std::string config = folder.write("capstan.toml", one_cloud);
    for (const char* command : {"plan", "explain matrix --live"})
        for (const std::string& kubeconfig : {served, closed}) {
            const std::string file = folder.write("kubeconfig", kubeconfig);
            const auto begun = std::chrono::steady_clock::now();
            const CommandResult ran = capstan(std::string(command) + " --config '" + config +
                                              "' --kubeconfig '" + file + "'");
            EXPECT_EQ(ran.code, 1) << ran.err;
            EXPECT_THAT(ran.err, AllOf(HasSubstr("API server http://127.0.0.1:"),
                                       Not(HasSubstr("memory")), Not(HasSubstr("<p>"))));
            EXPECT_EQ(ran.err.find("an HTML page") != std::string::npos, kubeconfig == served);
            EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(40));
        }
}

TEST(LiveCommands, TakeSettingsFromTheCommandLine) {
    const ServedCluster cluster;
    const Folder folder;
    const std::string kubeconfig = folder.write("kubeconfig", cluster.kubeconfig());
    const std::string config = folder.write("capstan.toml", one_cloud);
    const std::string line =
        "plan --config '" + config + "' --kubeconfig '" + kubeconfig + "' --set cluster.name=x ";
    EXPECT_EQ(capstan(line + "--log-level error").err, "");
    EXPECT_THAT(capstan(line + "--set limits.nodes=5").err,
                HasSubstr("--set limits.nodes=5: limits.nodes: expected table"));
}

}  // namespace
}  // namespace capstan::commands
