#include "autoscaler/daemon/memory_maps.hpp"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>

#include <capstan/utf8.hpp>

#include "kubernetes/client/scripted_api.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::Answer;
using kubernetes::client::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

namespace json = boost::json;

/// A text of this length whose parts differ.
std::string make_text(std::size_t size, char first) {
    std::string out(1, first);
    while (out.size() < size) out += std::to_string(out.size()) + ",";
    out.resize(size);
    return out;
}

/// An API server with ConfigMaps. It can stop answering after a number of writes, which leaves what
/// a host leaves that stops then.
struct MemoryMapsTest : ::testing::Test {
    static constexpr std::size_t longer = MemoryMaps::first_max + MemoryMaps::part_max + 1;

    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(Time())};
    kubernetes::client::ScriptedApi api{loop};
    std::map<std::string, json::object> maps;  ///< by name
    std::optional<int> writes_left;            ///< absent: without limit
    int writes = 0;
    std::string forbidden_verb;
    std::optional<MemoryMaps> host;

    MemoryMapsTest() {
        api.automatic = [this](const auto& asked) { return answer(asked); };
        start();
    }
    /// Another process takes over.
    void start() { host.emplace(api, loop, kubernetes::client::ConfigMapName{"ns", "m"}, 1); }

    std::optional<Answer> answer(const kubernetes::client::ScriptedApi::Asked& asked) {
        const std::string& method = asked.request.method;
        if (method == forbidden_verb) return refusal(403, "Forbidden", "no right");
        std::string name = asked.request.path.substr(asked.request.path.rfind('/') + 1);
        if (method == "GET") return found(name);
        if (writes_left && (*writes_left)-- <= 0) return std::nullopt;
        ++writes;
        if (method == "DELETE") {
            maps.erase(name);
            return Answer{.body = "{}"};
        }
        const json::object body = asked.json().as_object();
        name = std::string(body.at("metadata").at("name").as_string());
        maps[name] = body;
        return found(name);
    }
    Answer found(const std::string& name) const {
        const auto at = maps.find(name);
        if (at == maps.end()) return refusal(404, "NotFound");
        return {.body = json::serialize(at->second)};
    }

    Result<void> write(const std::string& text,
                       kubernetes::client::ConfigMapChange::Values others = {}) {
        std::optional<Result<void>> out;
        host->write(text, std::move(others), [&](Result<void> done) { out = std::move(done); });
        loop.settle();
        return out.value_or(fail(ErrorCode::deadline, "no response"));
    }
    MemoryMaps::Content read() {
        Result<MemoryMaps::Content> out = fail(ErrorCode::deadline, "no response");
        host->read([&](Result<MemoryMaps::Content> content) { out = std::move(content); });
        loop.settle();
        EXPECT_TRUE(out) << out.error();
        return out.value_or(MemoryMaps::Content());
    }
};

TEST_F(MemoryMapsTest, KeepAShortTextInOneConfigMap) {
    EXPECT_EQ(read().memory, "");
    ASSERT_TRUE(write("short", {{"state.eu", "s"}}));
    EXPECT_THAT(maps, ElementsAre(Key("m")));
    start();
    EXPECT_EQ(read().memory, "short");
    EXPECT_THAT(read().others, ElementsAre(testing::Pair("state.eu", "s")));
}

TEST_F(MemoryMapsTest, SpreadALongText) {
    const std::string text = make_text(longer, 'a');
    ASSERT_TRUE(write(text, {{"state.eu", "s"}}));
    EXPECT_THAT(maps, ElementsAre(Key("m"), Key("m-1"), Key("m-2")));
    start();
    EXPECT_EQ(read().memory, text);
    EXPECT_THAT(read().others, ElementsAre(testing::Pair("state.eu", "s")));
}

TEST_F(MemoryMapsTest, LeaveNoRoomUnused) {
    const std::string text = make_text(MemoryMaps::first_max + MemoryMaps::rest_max, 'a');
    ASSERT_TRUE(write(text));
    ASSERT_TRUE(write(make_text(text.size(), 'b'))) << "beside the parts of the first one";
    EXPECT_EQ(read().memory, make_text(text.size(), 'b'));
    EXPECT_THAT(write(text + "x").error().message, HasSubstr("bytes; there is room for"));
    EXPECT_EQ(read().memory, make_text(text.size(), 'b'));
}

TEST_F(MemoryMapsTest, SplitBetweenCharacters) {
    std::string text;
    while (text.size() < longer) text += "\u20ac";
    ASSERT_TRUE(write(text));
    for (const auto& [name, map] : maps)
        for (const auto& [key, value] : map.at("data").as_object())
            EXPECT_TRUE(is_utf8(std::string(value.as_string()))) << name << " " << key;
    EXPECT_EQ(read().memory, text);
}

TEST_F(MemoryMapsTest, WriteOnlyChanges) {
    const std::string text = make_text(longer, 'a');
    ASSERT_TRUE(write(text));
    writes = 0;
    ASSERT_TRUE(write(text));
    start();
    ASSERT_TRUE(write(text));
    EXPECT_EQ(writes, 0);
    ASSERT_TRUE(write(text, {{"unrelated", std::nullopt}}));
    EXPECT_EQ(writes, 0);
}

TEST_F(MemoryMapsTest, HaveTheOldOrTheNewTextAfterAnInterruptedWrite) {
    const std::size_t sizes[] = {5, longer, longer + MemoryMaps::part_max};
    for (const std::size_t before : sizes) {
        for (const std::size_t after : sizes) {
            int interrupted = 0;
            for (bool is_done = false; !is_done; ++interrupted) {
                maps.clear();
                writes_left.reset();
                start();
                ASSERT_TRUE(write(make_text(before, 'a')));
                ASSERT_TRUE(write(make_text(before, 'b')));
                writes_left = interrupted;
                is_done = write(make_text(after, 'c')).has_value();
                writes_left.reset();
                start();
                const MemoryMaps::Content left = read();
                EXPECT_EQ(left.broken_because, "");
                EXPECT_TRUE(left.memory == make_text(before, 'b') ||
                            left.memory == make_text(after, 'c'))
                    << before << " " << after << " " << interrupted;
                // The next process writes as if nothing had happened.
                ASSERT_TRUE(write(make_text(longer, 'd')));
                EXPECT_EQ(read().memory, make_text(longer, 'd'));
                EXPECT_THAT(maps, ElementsAre(Key("m"), Key("m-1"), Key("m-2")));
            }
            EXPECT_GT(interrupted, 0);
        }
    }
}

TEST_F(MemoryMapsTest, RemoveConfigMapsThatAreNotUsed) {
    ASSERT_TRUE(write(make_text(longer, 'a')));
    ASSERT_TRUE(write("short"));
    EXPECT_THAT(maps, ElementsAre(Key("m")));
    EXPECT_EQ(read().memory, "short");
}

TEST_F(MemoryMapsTest, RemoveWhatAnEarlierProcessLeft) {
    ASSERT_TRUE(write(make_text(longer, 'a')));
    writes_left = 1;
    EXPECT_FALSE(write("short")) << "it stops before the removal";
    writes_left.reset();
    start();
    EXPECT_EQ(read().memory, "short");
    ASSERT_TRUE(write("other"));
    EXPECT_THAT(maps, ElementsAre(Key("m")));
}

TEST_F(MemoryMapsTest, NeedNoRightToRemove) {
    ASSERT_TRUE(write(make_text(longer, 'a')));
    forbidden_verb = "DELETE";
    EXPECT_TRUE(write("short"));
    EXPECT_EQ(read().memory, "short");
}

TEST_F(MemoryMapsTest, ReportAPartThatIsMissing) {
    ASSERT_TRUE(write(make_text(longer, 'a')));
    maps.erase("m-2");
    const MemoryMaps::Content left = read();
    EXPECT_EQ(left.broken_because, "ConfigMap ns/m-2 is missing");
    EXPECT_TRUE(make_text(longer, 'a').starts_with(left.memory));
}

TEST_F(MemoryMapsTest, ReportPartsOfDifferentVersions) {
    ASSERT_TRUE(write(make_text(longer, 'a')));
    const json::object old = maps["m-1"];
    ASSERT_TRUE(write(make_text(longer, 'b')));
    EXPECT_EQ(read().broken_because, "") << "the old part is beside the new one";
    const std::string other = make_text(longer, 'c').substr(0, MemoryMaps::part_max);
    for (auto& [key, value] : maps["m-1"].at("data").as_object()) value = other;
    EXPECT_EQ(read().broken_because, "ConfigMap ns/m and its parts are of different versions");
    maps["m-1"]["data"] = json::object{};
    EXPECT_THAT(read().broken_because, HasSubstr("ConfigMap ns/m-1 has no memory-"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
