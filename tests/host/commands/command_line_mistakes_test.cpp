// Messages of the shipped binary about common mistakes: what was attempted, on what, the result,
// and what to do.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gmock/gmock.h>

#include "shell.hpp"

namespace capstan::commands {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

int count_of(const std::string& text, const std::string& part) {
    int out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++out;
    return out;
}

TEST(CommandLineMistakes, AreReportedOnceForAConfiguration) {
    const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {"[pipeline]\nclouds = [\"azure\"]",
         ":2:11: pipeline.clouds[0]: no plugin instance named 'azure'; shipped plugins of kind "
         "cloud: aws, external_grpc, gce, simulated\n"},
        {"[pipeline.scale_up]\nsimilarity = [\"resources\"]\nexpanders = [\"cheapest\"]",
         "named 'cheapest'; shipped plugins of kind expander: grpc_expander, label_priority, "
         "least_nodes, least_waste, most_pods, price, priority, random\n"},
        {"[pipeline.scale_up]\nsimilarity = [\"resources\"]\nexpanders = [\"least-waste\"]",
         "; did you mean 'least_waste'?"},
        {"[plugin.nothere]",
         ":1:9: plugin.nothere: there is no shipped plugin 'nothere'; set 'file'\n"},
        {"[cluster]\nname = prod",
         ":2:8: Error while parsing value: could not determine value type"
         "; text needs quotes\n"},
        {"[scale_down]\nunneeded_time = 10m", "; text needs quotes\n"},
        {"[reload]\nfollow = true", "reload: unknown key 'follow'; the only key is watch\n"},
        {"[log]\ncolour = 1",
         "log: unknown key 'colour'; the keys are level, format, per_plugin\n"},
        {"[scale_down]\nflarb = 1",
         "unknown key 'flarb'; `capstan config explain scale_down` lists its keys\n"},
        {"[pipeline]\nclouds = [\"simulated\"]\n[plugin.simulated]\n"
         "settings.groups = [{ id = \"a\", flarb = 3, machine = { cpu = \"1\", memory = \"1Gi\" } "
         "}]",
         "groups[0]: unknown key 'flarb'; the keys are id, "},
    };
    const Folder folder;
    for (const auto& each : cases) {
        const std::string file = folder.write("capstan.toml", each.text);
        const CommandResult ran = capstan("config check --config '" + file + "'");
        EXPECT_EQ(ran.code, 2) << each.text;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.text;
        EXPECT_THAT(ran.err, HasSubstr(": 1 error\n")) << each.text;
        EXPECT_EQ(count_of(ran.err, file + ":"), 2)
            << "once in the message and once in the total: " << ran.err;
    }
}

TEST(CommandLineMistakes, AreReportedWithTheOption) {
    const char* const command = "simulate examples/three_zones.toml --set ";
    const struct {
        const char* set;
        const char* message;
    } cases[] = {
        {"scale_up.bakoff=until_joined",
         "--set scale_up.bakoff=until_joined: scale_up: unknown key 'bakoff'; did you mean "
         "'backoff'?\n"},
        {"scale_up.backoff", "--set scale_up.backoff: expected KEY=VALUE, such as "},
        {"'limits.nodes={max=\"many\"}'",
         "--set limits.nodes={max=\"many\"}: limits.nodes.max: quantity "},
        {"'plugin.labels.settings={ignore=1}'",
         "--set plugin.labels.settings={ignore=1}: plugin.labels.settings.ignore: expected "},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan(command + std::string(each.set));
        EXPECT_EQ(ran.code, 2) << each.set;
        EXPECT_THAT(ran.err, AllOf(HasSubstr(each.message), Not(HasSubstr("three_zones.toml:"))))
            << each.set;
    }
}

TEST(CommandLineMistakes, AreAnsweredWithSimilarKeys) {
    const struct {
        const char* key;
        const char* message;
    } cases[] = {
        {"unneeded_time", "no key 'unneeded_time'; did you mean scale_down.unneeded_time?"},
        {"unneded_time", "; did you mean scale_down.unneeded_time?"},
        {"leader_election.lease", "; did you mean cluster.leader_election.lease?"},
        {"call_deadline", "; did you mean plugin.ID.limits.call_deadline?"},
        {"scale_down.unneded_time", "in scale_down; did you mean 'unneeded_time'?"},
        {"clustr", "did you mean 'cluster'?"},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan("config explain " + std::string(each.key));
        EXPECT_EQ(ran.code, 2) << each.key;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.key;
    }
}

TEST(CommandLineMistakes, AreExplainedForFilesAndUrls) {
    const Folder folder;
    const std::string yaml = folder.write("d.yaml", "apiVersion: v1\nitems:\n- kind: Node\n");
    const std::string dump = folder.write("d.json", R"({"apiVersion":"v1","items":[]})");
    const struct {
        std::string line;
        const char* message;
    } cases[] = {
        {"simulate --cluster '" + yaml + "'",
         "is YAML; expects JSON, as from kubectl get ... -o json"},
        {"replay '" + dump + "'",
         "d.json: is a cluster dump, not a recorded pass: use `capstan explain --cluster`, or "
         "record passes"},
        {"simulate examples/three_zones.toml --report '" + (folder.path() / "no/r.html").string() +
             "'",
         "r.html: cannot be written: no such folder: "},
        {"explain pod a/b --server localhost:1",
         "--server localhost:1: URL: does not begin with http:// or https://"},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan(each.line);
        EXPECT_EQ(ran.code, 2) << each.line << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.line;
    }
}

/// A loopback port that is in use.
class BusyPort {
public:
    BusyPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* const address = reinterpret_cast<sockaddr*>(&at);
        if (::bind(socket_, address, size) != 0 || ::listen(socket_, 1) != 0 ||
            ::getsockname(socket_, address, &size) != 0)
            throw std::runtime_error("no port");
        number_ = std::to_string(ntohs(at.sin_port));
    }
    ~BusyPort() { ::close(socket_); }
    BusyPort(const BusyPort&) = delete;
    BusyPort& operator=(const BusyPort&) = delete;

    const std::string& number() const { return number_; }

private:
    int socket_;
    std::string number_;
};

TEST(CommandLineMistakes, NameTheOptionThatChangesABusyPort) {
    const BusyPort port;
    const CommandResult cluster =
        capstan("cluster examples/live.toml --for 1s --port " + port.number());
    EXPECT_EQ(cluster.code, 1);
    EXPECT_THAT(cluster.err,
                HasSubstr("listen on 127.0.0.1:" + port.number() +
                          ": Address already in use; choose others with --address and --port\n"));

    const Folder folder;
    const std::string kubeconfig = folder.write("kubeconfig", R"({"current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "c", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]})");
    const std::string config = folder.write(
        "capstan.toml", "[cluster]\nkubeconfig = '" + kubeconfig +
                            "'\n[admin]\nlisten = '127.0.0.1:" + port.number() + "'\n");
    const CommandResult run = capstan("run --config '" + config + "'");
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err,
                HasSubstr("admin.listen: listen on 127.0.0.1:" + port.number() +
                          ": Address already in use; choose another address in admin.listen\n"));
    const CommandResult state = capstan("run --config '" + config + "' --state '" + config + "/x'");
    EXPECT_EQ(state.code, 1);
    EXPECT_THAT(state.err,
                HasSubstr("/x: cannot be created: Not a directory; choose a writable folder\n"));
}

}  // namespace
}  // namespace capstan::commands
