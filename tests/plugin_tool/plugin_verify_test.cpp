// `capstan plugin verify`: the conformance suite for a file.
#include <gmock/gmock.h>

#include "../host/commands/shell.hpp"

namespace capstan::plugin_tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(PluginVerify, PassesForEveryShippedPlugin) {
    for (const char* name :
         {"expanders/label_priority.so", "expanders/least_nodes.so", "expanders/least_waste.so",
          "expanders/most_pods.so", "expanders/price.so", "expanders/priority.so",
          "expanders/random.so", "similarity/labels.so", "similarity/resources.so",
          "balancer/node_groups.so", "simulated.so"}) {
        const commands::CommandResult ran =
            commands::capstan("plugin verify " + commands::quoted_path(commands::shipped(name)));
        EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        EXPECT_THAT(ran.out, Not(HasSubstr("FAIL")));
    }
}

TEST(PluginVerify, ReportsWhatItDidNotCheck) {
    const commands::CommandResult bare =
        commands::capstan("plugin verify " + commands::quoted_path(commands::http_cloud()));
    EXPECT_EQ(bare.code, 3) << bare.out << bare.err;
    EXPECT_THAT(bare.out,
                testing::EndsWith("not checked: new_http_cloud: it needs settings: setting "
                                  "endpoint: required but not set; use --settings "
                                  "FILE.toml with the class's settings\n"));
    const commands::Folder folder;
    const std::string settings =
        folder.write("settings.toml", "endpoint = \"https://api.example\"\n");
    const commands::CommandResult without =
        commands::capstan("plugin verify " + commands::quoted_path(commands::http_cloud()) +
                          " --settings " + settings);
    EXPECT_EQ(without.code, 3) << without.out << without.err;
    EXPECT_THAT(
        without.out,
        AllOf(HasSubstr("made-up secrets: made-up-token"), HasSubstr("cloud/honest"),
              testing::EndsWith(
                  "; use --http RECORDING with the responses of its API, or other --settings\n")));
}

TEST(PluginVerify, ReplaysARecording) {
    const commands::Folder folder;
    const std::string line =
        "plugin verify " + commands::quoted_path(commands::http_cloud()) + " --settings " +
        folder.write("settings.toml", "endpoint = \"https://api.example\"\n") + " --http ";
    const commands::CommandResult part =
        commands::capstan(line + folder.write("groups.http",
                                              "> GET https://api.example/v1/groups?page=\n"
                                              "< 200\n\n{\"groups\":[{\"id\":\"web\","
                                              "\"min\":1,\"max\":10,\"target\":2,"
                                              "\"machine\":{\"cpu\":\"4\",\"memory\":\"16Gi\","
                                              "\"pods\":\"110\"}}]}\n\n"));
    EXPECT_EQ(part.code, 3) << part.out << part.err;
    EXPECT_THAT(part.out,
                AllOf(HasSubstr("HTTP GET https://api.example/v1/machines: the "
                                "request is not in the recording"),
                      HasSubstr("; use a --http RECORDING with the responses to its requests\n")));
    std::filesystem::create_directory(folder.path() / "all");
    std::filesystem::rename(folder.path() / "groups.http", folder.path() / "all/1.http");
    folder.write("all/2.http",
                 "> GET https://api.example/v1/machines?page=\n< 200\n\n"
                 "{\"machines\":[{\"id\":\"m-1\",\"group\":\"web\",\"state\":\"running\"}]}\n\n");
    const commands::CommandResult all = commands::capstan(line + (folder.path() / "all").string());
    EXPECT_EQ(all.code, 0) << all.out << all.err;
    EXPECT_THAT(all.out, AllOf(Not(HasSubstr("skip ")), Not(HasSubstr("not checked"))));
    const commands::CommandResult bad =
        commands::capstan(line + folder.write("bad.http", "> GET https://api.example/\n< ok\n"));
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("bad.http, line 2: expected a response like"));
    EXPECT_EQ(commands::capstan(line + folder.path().string() + "/absent").code, 2);
}

TEST(PluginVerify, ReportsACrashAndContinuesWithTheNextCheck) {
    const commands::CommandResult ran = commands::capstan(
        "plugin verify " + commands::quoted_path(commands::misbehaving().string() + "#crashes"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL"), HasSubstr("was killed by signal 11"),
                               HasSubstr("file/unloads")));
}

TEST(PluginVerify, ReportsOutputOfAPlugin) {
    const commands::CommandResult ran = commands::capstan(
        "plugin verify " + commands::quoted_path(commands::misbehaving().string() + "#prints"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("process/silent: wrote to standard output or error: noise"));
}

TEST(PluginVerify, FailsAFileThatThrowsThroughC) {
    const commands::CommandResult ran = commands::capstan(
        "plugin verify " + commands::quoted_path(commands::throwing().string() + "#tiny"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL"), HasSubstr("through C"))) << ran.out;
}

TEST(PluginVerify, PrintsJson) {
    const commands::CommandResult ran =
        commands::capstan("plugin verify -o json " +
                          commands::quoted_path(commands::misbehaving().string() + "#first"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr(R"("failed":0)"), HasSubstr(R"("verdict":"passed")"),
                               HasSubstr(R"("sha256":")")));
}

}  // namespace
}  // namespace capstan::plugin_tool
