#include "autoscaler/daemon/memory_keeper.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/record/memory_text.hpp"
#include "kubernetes/client/scripted_api.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::refusal;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr Time present = time_from_unix_ns(1'700'000'100'000'000'000);

std::string text_of(const engine::Memory& memory) {
    return *record::memory_text(memory, "1.0", {}, present);
}

/// The ConfigMap on the API server.
std::string map_of(const std::string& key, const std::string& text) {
    const boost::json::object map{
        {"kind", "ConfigMap"},
        {"metadata", boost::json::object{{"name", "capstan-memory"}, {"resourceVersion", "7"}}},
        {"data", boost::json::object{{key, text}}}};
    return boost::json::serialize(map);
}

struct MemoryKeeperTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(present)};
    kubernetes::client::ScriptedApi api{loop};
    std::vector<std::string> messages;
    MemoryKeeper keeper{
        api,
        loop,
        {.name = {"kube-system", "capstan-memory"},
         .on_unreadable = [this](const std::string& what) { messages.push_back(what); }}};
    std::optional<Result<PersistedState>> loaded;

    void load() {
        keeper.load([this](Result<PersistedState> state) { loaded = std::move(state); });
        loop.settle();
    }
};

TEST_F(MemoryKeeperTest, StartsWithEmptyMemoryIfThereIsNone) {
    load();
    api.answer(refusal(404, "NotFound"));
    ASSERT_TRUE(loaded && *loaded);
    EXPECT_EQ((*loaded)->memory, engine::Memory{});
}

TEST_F(MemoryKeeperTest, MarksLoadedMemoryAsNotStarted) {
    engine::Memory memory{.started = true};
    memory.unneeded["n1"] = {.since = present - 100s};
    memory.unobserved_since = present;
    load();
    api.answer({.body = map_of("memory", text_of(memory))});
    memory.started = false;
    ASSERT_TRUE(loaded && *loaded);
    EXPECT_EQ((*loaded)->memory, memory);
}

TEST_F(MemoryKeeperTest, FailsIfTheMemoryCannotBeRead) {
    load();
    api.answer(refusal(500, "InternalError", "etcd is unavailable"));
    ASSERT_TRUE(loaded && !*loaded);
    EXPECT_THAT(loaded->error().message, HasSubstr("etcd is unavailable"));
}

TEST_F(MemoryKeeperTest, CopiesUnreadableMemoryAside) {
    load();
    api.answer({.body = map_of("memory", "{\"version\":99}")});
    api.answer("GET", {.body = map_of("memory", "{\"version\":99}")});
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_THAT(messages[0], HasSubstr("copy in key unreadable-memory"));
    const boost::json::value written = api.first("PUT").json();
    EXPECT_EQ(written.at("data").at("unreadable-memory").as_string(), "{\"version\":99}");
    EXPECT_FALSE(written.at("data").as_object().contains("memory"));
    api.answer("PUT", {.body = boost::json::serialize(written)});
    api.answer(refusal(404, "NotFound"));  // capstan-memory-1
    ASSERT_TRUE(loaded && *loaded);
    EXPECT_EQ((*loaded)->memory, engine::Memory{});
    EXPECT_LT(keeper.room(), MemoryMaps::first_max);
}

TEST_F(MemoryKeeperTest, WritesOnlyChanges) {
    load();
    api.answer({.body = map_of("memory", text_of({}))});
    bool is_saved = false;
    keeper.save(text_of({}), {}, [&](const Result<void>& done) { is_saved = done.has_value(); });
    loop.settle();
    EXPECT_TRUE(is_saved);
    EXPECT_EQ(api.open_count(), 0u);
    keeper.save(text_of({.started = true}), {}, [](const Result<void>&) {});
    loop.settle();
    EXPECT_EQ(api.open_count(), 1u);
}

TEST_F(MemoryKeeperTest, WritesAgainAfterAFailedWrite) {
    load();
    const std::string old = text_of({});
    api.answer({.body = map_of("memory", old)});
    keeper.save("new", {}, [](const Result<void>&) {});
    loop.settle();
    api.fail(Error{ErrorCode::deadline, "no reply"});
    keeper.save(old, {}, [](const Result<void>&) {});
    loop.settle();
    EXPECT_EQ(api.open_count(), 1u) << "the server may have stored the new text";
}

TEST_F(MemoryKeeperTest, StoresThePluginStateNextToTheMemory) {
    load();
    api.answer({.body = map_of("state.eu", "from the last leader")});
    ASSERT_TRUE(loaded && *loaded);
    EXPECT_EQ((*loaded)->states.at("eu"), "from the last leader");
    keeper.save("m", {{"eu", "new"}, {"us", "first"}}, [](const Result<void>&) {});
    loop.settle();
    api.answer("GET", {.body = map_of("state.eu", "from the last leader")});
    const boost::json::value written = api.first("PUT").json();
    EXPECT_EQ(written.at("data").at("state.eu").as_string(), "new");
    EXPECT_EQ(written.at("data").at("state.us").as_string(), "first");
    EXPECT_EQ(written.at("data").at("memory").as_string(), "m");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
