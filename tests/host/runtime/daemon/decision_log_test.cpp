#include "runtime/daemon/decision_log.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"
#include "runtime/daemon/pass_board.hpp"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Passes over nothing, and what is said of each.
struct Told : ::testing::Test {
    std::vector<std::string> lines;  ///< without their time
    Logger log{{}, std::make_shared<io::ManualClock>(), [this](std::string_view line) {
                   lines.emplace_back(line.substr(line.find(' ') + 1));
               }};
    DecisionLog decisions{log};
    PassReport pass{PassInput{.snapshot = {engine::ClusterBuilder().build(),
                                           std::make_shared<const std::vector<engine::Group>>()}}};

    engine::Decision& decision() { return pass.result.outcome.decision; }
    void increase() {
        decision().increases = {
            {.group = NodeGroupId("web"), .from = 1, .by = 2, .because = "makes room for 9 pods"}};
    }
    std::vector<std::string> tell() {
        lines.clear();
        decisions.tell(pass);
        return lines;
    }
};

TEST_F(Told, IsWhatWasDoneEachTime) {
    increase();
    pass.results.increases = {std::nullopt};
    const auto line = "info  pass: increase web by 2 (1 -> 3): makes room for 9 pods";
    EXPECT_THAT(tell(), ElementsAre(line));
    EXPECT_THAT(tell(), ElementsAre(line));
}

TEST_F(Told, IsWhatIsRefusedOnceWhileItLasts) {
    increase();
    pass.results.increases = {Error{ErrorCode::quota, "no more machines"}};
    const auto line = "warn  pass: increase web by 2 (1 -> 3) is refused: no more machines";
    EXPECT_THAT(tell(), ElementsAre(line));
    EXPECT_THAT(tell(), IsEmpty());
    decision() = {};
    EXPECT_THAT(tell(), IsEmpty());
    increase();
    EXPECT_THAT(tell(), ElementsAre(line));
}

TEST_F(Told, IsOnceWhatADryRunWouldDo) {
    increase();
    pass.input.circumstances.dry_run = true;
    EXPECT_THAT(tell(), ElementsAre("info  pass: dry run: would increase web by 2 (1 -> 3): makes "
                                    "room for 9 pods"));
    EXPECT_THAT(tell(), IsEmpty());
}

TEST_F(Told, ArePodsWithoutRoomWhateverTimeABackoffHasLeft) {
    decision().unhelped = {{.pods = {0, "shop/a", 2}, .because = "web: backed off for 3m more"}};
    EXPECT_THAT(tell(), ElementsAre("info  pass: 2 pods like shop/a stay without room: web: backed "
                                    "off for 3m more"));
    decision().unhelped[0].because = "web: backed off for 2m50s more";
    EXPECT_THAT(tell(), IsEmpty());
    decision().unhelped[0].because = "web: is full";
    EXPECT_EQ(tell().size(), 1u);
}

TEST_F(Told, IsThatADecisionWasDropped) {
    increase();
    pass.dropped_because = "this host leads no longer";
    EXPECT_THAT(tell(), ElementsAre("warn  pass: decision dropped: this host leads no longer"));
}

TEST_F(Told, AreGroupsThatAreMadeAndDeleted) {
    decision().creations = {{.group = NodeGroupId("nap-1"), .because = "9 pods fit"}};
    decision().deletions = {{.group = NodeGroupId("nap-2"), .because = "empty for 1h"}};
    pass.results.creations = {std::nullopt};
    pass.results.deletions = {Error{ErrorCode::conflict, "in use"}};
    EXPECT_THAT(tell(), ElementsAre("info  pass: create nap-1: 9 pods fit",
                                    "warn  pass: delete nap-2 is refused: in use"));
    EXPECT_TRUE(asks_for_something(decision()));
    EXPECT_THAT(pass_json(pass), HasSubstr("\"what\":\"create nap-1\""));
    EXPECT_THAT(pass_json(pass), HasSubstr("\"because\":\"empty for 1h\",\"error\":\"in use\""));
}

TEST_F(Told, IsNotThatAnEvictedPodIsGoneAlready) {
    decision().evictions = {{.ns = "shop", .pod = "a", .node = "n1", .because = "n1 goes"}};
    pass.results.evictions = {Error{ErrorCode::not_found, "no such pod"}};
    EXPECT_THAT(tell(), ElementsAre("info  pass: evict shop/a from n1: n1 goes"));
}

TEST(PassBoard, KeepsTheLatestDecisionsThatSaySomething) {
    PassBoard board(2);
    EXPECT_EQ(board.last(), nullptr);
    EXPECT_EQ(board.decisions(), "[]");
    for (const char* group : {"a", "b", "", "c"}) {
        auto pass = std::make_shared<PassReport>(
            PassInput{.snapshot = {engine::ClusterBuilder().build(),
                                   std::make_shared<const std::vector<engine::Group>>()}});
        if (*group != '\0')
            pass->result.outcome.decision.increases = {
                {.group = NodeGroupId(group), .by = 1, .because = "pods"}};
        board.put(pass);
    }
    const std::string text = board.decisions();
    EXPECT_THAT(text, HasSubstr("increase b by 1"));
    EXPECT_LT(text.find("increase c by 1"), text.find("increase b by 1"));
    EXPECT_EQ(text.find("increase a by 1"), std::string::npos);
    EXPECT_THAT(text, HasSubstr("\"nodes\":0,\"pods\":0"));
}

}  // namespace
}  // namespace capstan::runtime
