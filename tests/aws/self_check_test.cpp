// Requests of botocore to server and proxy.
#include "aws_scenario.hpp"

namespace capstan::aws {

class AwsFake : public AwsDaemon {};

TEST_F(AwsFake, RespondsToBotocoreAsAwsDoes) {
    const commands::Folder folder;
    e2e::Process check({"build/python/bin/python", "tests/aws/server/self_check.py"}, {},
                       folder.path() / "log");
    EXPECT_TRUE(e2e::becomes(240s, [&] { return !check.is_running(); }));
    EXPECT_EQ(check.end(9), 0) << folder.read("log");
}

}  // namespace capstan::aws
