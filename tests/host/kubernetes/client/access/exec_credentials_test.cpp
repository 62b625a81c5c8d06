#include "kubernetes/client/access/exec_credentials.hpp"

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "credentials_folder.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::client {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

const std::string api_v1 = "client.authentication.k8s.io/v1";

/// A script line that prints an ExecCredential; the shell expands $x.
std::string print(const std::string& status) {
    return R"(echo "{\"kind\":\"ExecCredential\",\"apiVersion\":\")" + api_v1 +
           R"(\",\"status\":{)" + status + "}}\"";
}
/// Script lines that count the runs of the script in a file; $n is the number of runs.
const std::string counting = "cd \"$FOLDER\"; echo x >> runs; n=$(wc -l < runs)\n";

class ExecCredentialsTest : public ::testing::Test {
protected:
    ExecCredentials::Options options(const std::string& command) const {
        return {.plugin = {.api_version = api_v1, .command = command},
                .environment = Environment({{"PATH", "/usr/bin:/bin"},
                                            {"FOLDER", (folder_ / "").parent_path().string()}})};
    }
    ExecCredentials::Options script(const std::string& lines) const {
        return options(folder_.script("plugin", lines).string());
    }
    std::string error_of(ExecCredentials::Options options) {
        ExecCredentials credentials(virtual_.loop, std::move(options));
        return CredentialRequest(credentials, virtual_.loop).error();
    }
    int runs() const { return static_cast<int>(std::ranges::count(folder_.read("runs"), '\n')); }

    VirtualLoop virtual_;
    CredentialsFolder folder_;
};

TEST_F(ExecCredentialsTest, ReturnTheTokenAndImpersonationHeaders) {
    auto options = script(print(R"(\"token\":\"t\")"));
    options.headers = {{"impersonate-user", "jane"}};
    ExecCredentials credentials(virtual_.loop, options);
    const CredentialRequest request(credentials, virtual_.loop);
    ASSERT_TRUE(request.result()) << request.error();
    EXPECT_THAT(request.result()->headers,
                ElementsAre(Pair("impersonate-user", "jane"), Pair("authorization", "Bearer t")));
}

TEST_F(ExecCredentialsTest, PassArgumentsVariablesAndExecInfo) {
    auto options = script(print(R"(\"token\":\"$1-$2-$OWN-$FOLDER\")") +
                          "\necho \"$KUBERNETES_EXEC_INFO\" > \"$FOLDER/info\"; "
                          "cat > \"$FOLDER/input\"; ls /proc/self/fd > \"$FOLDER/open\"");
    options.plugin.arguments = {"get", "it"};
    options.plugin.variables = {{"OWN", "mine"}, {"FOLDER", (folder_ / ".").string()}};
    options.plugin.provides_cluster_info = true;
    options.cluster.server = "https://api";
    ExecCredentials credentials(virtual_.loop, options);
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"),
              "Bearer get-it-mine-" + (folder_ / ".").string());
    EXPECT_EQ(folder_.read("info"), exec_info(options.plugin, options.cluster) + "\n");
    EXPECT_EQ(folder_.read("input"), "");
    EXPECT_EQ(folder_.read("open"), "0\n1\n2\n3\n") << "the last one belongs to ls";
}

TEST_F(ExecCredentialsTest, RunThePluginOnceForAllCallers) {
    ExecCredentials credentials(virtual_.loop, script(counting + print(R"(\"token\":\"t$n\")")));
    int results = 0;
    for (int i = 0; i < 5; ++i) {
        credentials.get([&](const Result<Credential>& result) { results += result ? 1 : 0; });
    }
    virtual_.loop.settle();
    EXPECT_EQ(results, 5);
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t1");
    virtual_.loop.advance(std::chrono::hours(10'000));
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t1");
    EXPECT_EQ(runs(), 1);
}

TEST_F(ExecCredentialsTest, RunThePluginAgainAfterExpiry) {
    const std::string end = *find_timestamp_text(virtual_.clock->now() + seconds(60));
    ExecCredentials credentials(
        virtual_.loop, script(counting + print(R"(\"token\":\"t$n\",\"expirationTimestamp\":\")" +
                                               end + R"(\")")));
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t1");
    virtual_.loop.advance(seconds(59));
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t1");
    virtual_.loop.advance(seconds(1));
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t2");
}

TEST_F(ExecCredentialsTest, RunThePluginAgainIfTheServerRejectsItsToken) {
    ExecCredentials credentials(virtual_.loop, script(counting + print(R"(\"token\":\"t$n\")")));
    const CredentialRequest first(credentials, virtual_.loop);
    credentials.rejected(*first.result());
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t2");
    credentials.rejected(*first.result());
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t2");
    EXPECT_EQ(runs(), 2);
}

TEST_F(ExecCredentialsTest, FindThePluginInPath) {
    folder_.script("bin/login", print(R"(\"token\":\"t\")"));
    auto options = this->options("login");
    options.environment.set("PATH", "relative::/none:" + (folder_ / "bin").string() + ":/bin");
    ExecCredentials credentials(virtual_.loop, options);
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t");
}

TEST_F(ExecCredentialsTest, ShowTheInstallHintOfAMissingPlugin) {
    auto missing = options("capstan-no-such-plugin");
    missing.plugin.install_hint = "brew install it\nor not";
    EXPECT_EQ(error_of(missing),
              "exec plugin capstan-no-such-plugin: not found in PATH; brew install it\\nor not");
    EXPECT_THAT(error_of(options("/no/such")), HasSubstr("the program does not exist"));
    EXPECT_THAT(error_of(options(folder_.write("text", "x").string())),
                HasSubstr("cannot be run: Permission denied"));
}

TEST_F(ExecCredentialsTest, ShowStderrOfThePluginButNeverItsOutput) {
    ExecCredentials credentials(
        virtual_.loop,
        script("echo hunter2; for i in 1 2 3 4 5 6 7; do echo \"line $i\" >&2; done; exit 3"));
    const CredentialRequest failed(credentials, virtual_.loop);
    ASSERT_TRUE(failed.is_answered());
    EXPECT_EQ(failed.result().error().code, ErrorCode::unavailable);
    EXPECT_EQ(failed.error(), "exec plugin " + (folder_ / "plugin").string() +
                                  ": ended with exit code 3; it wrote: "
                                  "line 3\\nline 4\\nline 5\\nline 6\\nline 7");
    EXPECT_EQ(error_of(script("echo hunter2; echo why >&2")),
              "exec plugin " + (folder_ / "plugin").string() +
                  ": printed output that is not a JSON object; it wrote: why");
    EXPECT_THAT(error_of(script("kill -9 $$")), HasSubstr("was killed by signal 9"));
}

TEST_F(ExecCredentialsTest, BackOffAfterAFailure) {
    ExecCredentials credentials(virtual_.loop, script(counting + "[ $n -gt 1 ] || exit 1\n" +
                                                      print(R"(\"token\":\"t$n\")")));
    const std::string failed =
        "exec plugin " + (folder_ / "plugin").string() + ": ended with exit code 1";
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).error(), failed);
    const CredentialRequest early(credentials, virtual_.loop);
    EXPECT_THAT(early.error(), StartsWith(failed + " (retry in "));
    ASSERT_TRUE(early.result().error().retry_after);
    EXPECT_EQ(runs(), 1) << "the second request ran nothing";
    virtual_.loop.advance(*early.result().error().retry_after);
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization"), "Bearer t2");
}

TEST_F(ExecCredentialsTest, IncreaseTheBackOffUpToOneMinute) {
    ExecCredentials credentials(virtual_.loop, script("exit 1"));
    Duration last{};
    for (int failures = 1; failures <= 8; ++failures) {
        CredentialRequest(credentials, virtual_.loop);
        const CredentialRequest early(credentials, virtual_.loop);
        ASSERT_TRUE(early.result().error().retry_after);
        const Duration delay = *early.result().error().retry_after;
        EXPECT_TRUE(failures > 5 || delay > last);
        EXPECT_LE(delay, seconds(60));
        virtual_.loop.advance(delay);
        last = delay;
    }
    EXPECT_GE(last, seconds(30));
}

TEST_F(ExecCredentialsTest, LimitTheSizeOfTheOutput) {
    const std::string long_token = "t=$(head -c 300000 /dev/zero | tr '\\0' x)\n";
    ExecCredentials credentials(virtual_.loop, script(long_token + print(R"(\"token\":\"$t\")")));
    EXPECT_EQ(CredentialRequest(credentials, virtual_.loop).header("authorization").size(),
              300'007u);
    EXPECT_THAT(error_of(script("cat /dev/zero")), HasSubstr("printed more than 1048576 bytes"));
}

TEST_F(ExecCredentialsTest, DoNotWaitForChildrenOfThePlugin) {
    ExecCredentials credentials(virtual_.loop,
                                script("sleep 1000 &\n" + print(R"(\"token\":\"t$!\")")));
    const std::string token = CredentialRequest(credentials, virtual_.loop).header("authorization");
    ASSERT_THAT(token, HasSubstr("Bearer t"));
    EXPECT_EQ(::kill(std::stoi(token.substr(8)), SIGKILL), 0) << "still running";
}

/// Whether the processes listed in the file have ended. Waits for them to exit.
bool are_gone(const CredentialsFolder& folder, const std::string& name) {
    std::istringstream numbers(folder.read(name));
    for (pid_t pid = 0; numbers >> pid;) {
        const auto is_alive = [pid] {
            std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
            std::string number, program, state;
            return status >> number >> program >> state && state != "Z" && state != "X";
        };
        for (int i = 0; is_alive(); ++i) {
            if (i == 10'000) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return true;
}

/// A loop that does not wait for child processes, for a plugin that never ends.
class NonWaitingLoop final : public io::Loop {
public:
    NonWaitingLoop(boost::asio::io_context& io, std::shared_ptr<io::ManualClock> clock)
        : Loop(io, clock), manual_(std::move(clock)) {}
    void advance(Duration by) {
        manual_->advance_to(manual_->monotonic() + by);
        for (const auto& handler : timers_->take_due(manual_->monotonic())) handler();
    }

private:
    std::shared_ptr<io::ManualClock> manual_;
};

class StuckPluginTest : public ExecCredentialsTest {
protected:
    ExecCredentials::Options stuck() const {
        return script(
            "sleep 1000 & echo $! $$ > \"$FOLDER/new\"; echo 'asking you' >&2; "
            "mv \"$FOLDER/new\" \"$FOLDER/pids\"; wait");
    }
    void run_until_stuck() {
        while (!std::filesystem::exists(folder_ / "pids")) io_.poll();
        io_.poll();
    }

    boost::asio::io_context io_;
    NonWaitingLoop loop_{io_, std::make_shared<io::ManualClock>()};
};

TEST_F(StuckPluginTest, IsKilledWithItsProcessGroupAfterAMinute) {
    ExecCredentials credentials(loop_, stuck());
    std::optional<Error> error;
    credentials.get([&](const Result<Credential>& result) { error = result.error(); });
    run_until_stuck();
    loop_.advance(seconds(59));
    EXPECT_FALSE(error);
    loop_.advance(seconds(1));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::deadline);
    EXPECT_THAT(error->message, HasSubstr("did not exit within 60000 ms; it wrote: asking you"));
    io_.run();
    EXPECT_TRUE(are_gone(folder_, "pids"));
}

TEST_F(StuckPluginTest, IsKilledWithItsCredentials) {
    auto credentials = std::make_unique<ExecCredentials>(loop_, stuck());
    bool called = false;
    credentials->get([&](const Result<Credential>&) { called = true; });
    run_until_stuck();
    credentials.reset();
    io_.run();
    EXPECT_FALSE(called);
    EXPECT_TRUE(are_gone(folder_, "pids"));
}

TEST_F(ExecCredentialsTest, MayBeDestroyedInACallback) {
    auto credentials =
        std::make_unique<ExecCredentials>(virtual_.loop, script(print(R"(\"token\":\"t\")")));
    int results = 0;
    credentials->get([&](const Result<Credential>&) {
        ++results;
        credentials.reset();
    });
    credentials->get([&](const Result<Credential>&) { ++results; });
    virtual_.loop.settle();
    EXPECT_EQ(results, 1);
}

}  // namespace
}  // namespace capstan::kubernetes::client
