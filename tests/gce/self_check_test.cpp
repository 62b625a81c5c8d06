// Server and proxy, asked by Google's own clients.
#include "gce_story.hpp"

namespace capstan::gce {

TEST_F(GceStories, TheirServerAnswersGooglesClientAsGoogleDoes) {
    const commands::Folder folder;
    e2e::Process check({clouds::python, "tests/gce/server/self_check.py"}, {},
                       folder.path() / "log");
    EXPECT_TRUE(e2e::becomes(240s, [&] { return !check.is_running(); }));
    EXPECT_EQ(check.end(9), 0) << folder.read("log");
}

}  // namespace capstan::gce
