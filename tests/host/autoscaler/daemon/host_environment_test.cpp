#include "autoscaler/daemon/host_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/clock.hpp"
#include "plugin_runtime/plugin_bytes.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr uid_t other_user = 1000;

struct HostEnvironmentTest : ::testing::Test {
    plugin_runtime::TemporaryFolder folder;
    config::Config config;

    HostEnvironmentTest() {
        ::chmod(folder.path().c_str(), 0755);
        config.cluster.kubeconfig = write("kubeconfig", kubeconfig, 0600);
    }
    std::string write(const char* name, const std::string& text, mode_t mode) const {
        const std::filesystem::path file = folder.path() / name;
        std::ofstream(file) << text;
        ::chmod(file.c_str(), mode);
        return file.string();
    }
    std::vector<std::string> found() const {
        std::vector<std::string> out;
        for (const EnvironmentWarning& remark : check_environment(config, other_user))
            out.push_back(remark.found);
        return out;
    }
    const std::string kubeconfig =
        "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"
        "clusters: [{name: a, cluster: {server: 'https://a.example'}}]\n"
        "users: [{name: a, user: {tokenFile: token}}]\n";
};

TEST_F(HostEnvironmentTest, HasNoWarningsIfAllIsWell) {
    write("token", "t", 0600);
    config.admin.bearer_token_file = write("admin", "t", 0600);
    EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HostEnvironmentTest, WarnsAboutRoot) {
    EXPECT_THAT(check_environment(config, 0),
                ElementsAre(Field(&EnvironmentWarning::found, "runs as root")));
}

TEST_F(HostEnvironmentTest, WarnsAboutEachSecretFileReadableByOthers) {
    config.admin.bearer_token_file = write("1", "t", 0644);
    config.admin.tls_key_file = write("2", "k", 0666);
    config.secrets.dir = folder.path();
    config.plugins.resize(1);
    config.plugins[0].grants.secrets = {"3", "absent"};
    write("3", "s", 0644);
    config.plugins[0].tls.key_file = write("5", "k", 0644);
    write("ungranted", "s", 0644);
    config.cluster.kubeconfig = write("4", kubeconfig, 0644);
    write("token", "t", 0604);
    EXPECT_THAT(found(),
                ElementsAre(folder.path().string() + "/1 can be read by other users (mode 0644)",
                            StartsWith(folder.path().string() + "/2 can be read and changed"),
                            StartsWith(folder.path().string() + "/3 can be read"),
                            StartsWith(folder.path().string() + "/4 can be read"),
                            StartsWith(folder.path().string() + "/5 can be read"),
                            StartsWith(folder.path().string() + "/token can be read")));
}

TEST_F(HostEnvironmentTest, WarnsAboutStateFoldersThatOthersCanChange) {
    const std::filesystem::path state = folder.path() / "state", plugins = state / "plugins";
    std::filesystem::create_directories(plugins);
    ::chmod(state.c_str(), 0755);
    EXPECT_THAT(check_state_folder(state), IsEmpty());
    ::chmod(plugins.c_str(), 0777);
    EXPECT_THAT(
        check_state_folder(state),
        ElementsAre(Field(&EnvironmentWarning::found,
                          plugins.string() + " can be changed by other users (mode 0777)")));
    ::chmod(state.c_str(), 0700);
    EXPECT_THAT(check_state_folder(state), IsEmpty()) << "others may not enter";
    ::chmod(state.c_str(), 0757);
    EXPECT_THAT(check_state_folder(state), ::testing::SizeIs(2));
    EXPECT_THAT(check_state_folder(folder.path() / "none"), IsEmpty());
}

TEST_F(HostEnvironmentTest, WarnsInTheLog) {
    write("token", "t", 0644);
    std::vector<std::string> lines;
    plugin_runtime::services::Logger log({}, std::make_shared<io::ManualClock>(Time()),
                                         [&](std::string_view line) { lines.emplace_back(line); });
    warn_of_environment(config, log);
    EXPECT_THAT(lines,
                ::testing::Contains(::testing::AllOf(
                    ::testing::HasSubstr(" warn  capstan: secret files: "),
                    ::testing::HasSubstr(
                        "/token can be read by other users (mode 0644); run chmod o-rwx on it"))));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
