// `capstan plugin call --kind cloud`.
#include <array>
#include <atomic>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "../host/commands/shell.hpp"

namespace capstan::plugin_tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string quoted_http_cloud() { return commands::quoted_path(commands::http_cloud()); }

const char* const http_cloud_api =
    R"(> GET https://api.example/v1/groups?page=
< 200

{"groups":[{"id":"web","min":1,"max":10,"target":2,"machine":{"cpu":"4","memory":"16Gi","pods":"110"}},
           {"id":"db","min":0,"max":2,"target":0}]}

> GET https://api.example/v1/machines?page=
< 200

{"machines":[{"id":"m-1","group":"web","state":"running","zone":"z1"}]}

)";

TEST(CallCloud, PrintsGroupsAndMachinesAndChangesNothing) {
    const commands::Folder folder;
    const std::string line = "plugin call " + quoted_http_cloud() + " --kind cloud --settings " +
                             folder.write("settings.toml",
                                          "endpoint = \"https://api.example\"\ntoken = { secret = "
                                          "\"cloud\" }\n") +
                             " --http ";
    const commands::CommandResult read =
        commands::capstan(line + folder.write("api.http", http_cloud_api) + " -o json");
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_THAT(
        read.out,
        AllOf(HasSubstr(R"("groups":[{"id":"web","min":1,"max":10,"target":2,"healthy":null)"),
              HasSubstr(R"("capacity":{"cpu":4000,"memory":17179869184,"pods":110})"),
              HasSubstr(R"({"id":"m-1","group":"web","state":"running")"),
              HasSubstr(R"("requests":["GET https://api.example/v1/groups",)"),
              Not(HasSubstr("PUT")), Not(HasSubstr("change"))));
    const commands::CommandResult yaml =
        commands::capstan(line + (folder.path() / "api.http").string());
    EXPECT_THAT(yaml.out, HasSubstr("complete: true\n"));
}

TEST(CallCloud, MakesTheRequestedChange) {
    const commands::Folder folder;
    const std::string line =
        "plugin call " + quoted_http_cloud() + " --kind cloud -o json --settings " +
        folder.write("settings.toml",
                     "endpoint = \"https://api.example\"\ntoken = { secret = "
                     "\"cloud\" }\n") +
        " --http " +
        folder.write("api.http", std::string(http_cloud_api) +
                                     "> PUT https://api.example/v1/groups/web/target\n"
                                     "< 200\n\n{\"target\":4}\n"
                                     "> DELETE https://api.example/v1/machines/m-1\n"
                                     "< 404\n\ngone\n");
    const commands::CommandResult grown = commands::capstan(line + " --increase web=2");
    EXPECT_EQ(grown.code, 0) << grown.err;
    EXPECT_THAT(grown.out, HasSubstr(R"("change":{"target":4,"shortfall":null})"));
    EXPECT_THAT(commands::capstan(line + " --remove m-1").out,
                HasSubstr(R"("change":{"failed":[{"code":"not_found")"));
    const struct {
        const char* options;
        int code;
        const char* message;
    } refusals[] = {
        {" --increase web=0", 2, "expected GROUP=N with N from 1 to 100000, not \"web=0\""},
        {" --increase web", 2, "expected GROUP=N"},
        {" --increase web=1 --decrease web=1", 2,
         "use only one of --increase, --decrease and --remove"},
        {" --increase shop=1", 1, "unknown group shop"},
        {" --increase db=1", 1, "increase: HTTP PUT https://api.example/v1/groups/db/target"},
        {" --remove m-9", 1, "unknown machine m-9"},
    };
    for (const auto& each : refusals) {
        const commands::CommandResult ran = commands::capstan(line + each.options);
        EXPECT_EQ(ran.code, each.code) << each.options;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.options;
    }
    const commands::CommandResult other =
        commands::capstan("plugin call " + quoted_http_cloud() + " --kind expander --live", "{}");
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.err, HasSubstr("require --kind cloud"));
}

/// The API of the example on loopback, for clients with its token; one connection per request.
class HttpCloudServer {
public:
    HttpCloudServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size), 0);
        EXPECT_EQ(::listen(listener_, 8), 0);
        EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
        thread_ = std::thread([this] { serve(); });
    }
    ~HttpCloudServer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    const std::string& url() const { return url_; }

private:
    void serve() {
        for (int fd; (fd = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(fd)) {
            std::string request;
            std::array<char, 4096> some{};
            while (request.find("\r\n\r\n") == std::string::npos) {
                const ssize_t got = ::recv(fd, some.data(), some.size(), 0);
                if (got <= 0) break;
                request.append(some.data(), static_cast<std::size_t>(got));
            }
            const std::string reply = reply_to(request);
            ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
        }
    }
    static std::string reply_to(const std::string& request) {
        const auto body = [&]() -> std::string {
            if (request.starts_with("GET /v1/groups?"))
                return R"({"groups":[{"id":"web","min":1,"max":10,"target":2,)"
                       R"("machine":{"cpu":"4","memory":"16Gi","pods":"110"}}]})";
            return R"({"machines":[{"id":"m-1","group":"web","state":"running","zone":"z1"}]})";
        }();
        const bool is_known = request.find("Bearer hush\r\n") != std::string::npos;
        return std::string("HTTP/1.1 ") + (is_known ? "200 OK" : "401 Unauthorized") +
               "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    }

    int listener_;
    std::string url_;
    std::thread thread_;
};

TEST(CallCloud, CallsTheRealApiWithLive) {
    const HttpCloudServer server;
    const commands::Folder folder;
    std::filesystem::create_directory(folder.path() / "secrets");
    folder.write("secrets/cloud", "hush\n");
    const std::string line =
        "plugin call " + quoted_http_cloud() + " --kind cloud -o json --live --settings " +
        folder.write("settings.toml",
                     "endpoint = \"" + server.url() + "\"\ntoken = { secret = \"cloud\" }\n");
    const commands::CommandResult read =
        commands::capstan(line + " --secrets " + (folder.path() / "secrets").string());
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_THAT(read.out,
                AllOf(HasSubstr(R"({"id":"m-1","group":"web","state":"running")"),
                      HasSubstr(R"("capacity":{"cpu":4000,"memory":17179869184,"pods":110})")));
    const commands::CommandResult without = commands::capstan(line);
    EXPECT_EQ(without.code, 1);
    EXPECT_THAT(without.err, HasSubstr("refresh: GET " + server.url() + "/v1/groups: status 401"));
    const commands::CommandResult absent =
        commands::capstan(line + " --secrets " + folder.path().string());
    EXPECT_EQ(absent.code, 1);
    EXPECT_THAT(absent.err, HasSubstr("secret cloud: "));
}

}  // namespace
}  // namespace capstan::plugin_tool
