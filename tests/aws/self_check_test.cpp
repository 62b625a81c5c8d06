// Server and proxy, asked by botocore.
#include "aws_story.hpp"

namespace capstan::aws {

TEST_F(AwsStories, TheirServerAnswersBotocoreAsAwsDoes) {
    const commands::Folder folder;
    e2e::Process check({"build/python/bin/python", "tests/aws/server/self_check.py"}, {},
                       folder.path() / "log");
    EXPECT_TRUE(e2e::becomes(240s, [&] { return !check.is_running(); }));
    EXPECT_EQ(check.end(9), 0) << folder.read("log");
}

}  // namespace capstan::aws
