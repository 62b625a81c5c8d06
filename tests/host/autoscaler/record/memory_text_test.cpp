#include "autoscaler/record/memory_text.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "autoscaler/record/described_types.hpp"
#include "random_value.hpp"

namespace capstan::autoscaler {
namespace {

using engine::Memory;
using namespace std::chrono_literals;

const Time written_at = time_from_unix_ns(1'795'258'800'000'000'000);

std::string written_memory(const Memory& memory) { return *record::memory_text(memory, "1.2.0"); }

std::string refusal_of(std::string_view text) {
    const auto memory = record::parse_memory(text, "memory");
    return memory ? "is read" : memory.error().message;
}

TEST(MemoryText, IsReadBackExactly) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Memory memory = record::RandomValues(seed).make<Memory>();
        const std::string text = written_memory(memory);
        const auto read = record::parse_memory(text, "memory");
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error() << '\n' << text;
        EXPECT_EQ(*read, memory) << "seed " << seed << '\n' << text;
    }
}

TEST(MemoryText, KeepsItsFormat) {
    Memory memory;
    memory.started = true;
    memory.backoffs[NodeGroupId("spot")] = {.since = written_at,
                                            .until = written_at + 5min,
                                            .length = 5min,
                                            .last_failure = written_at + 1ns,
                                            .code = ErrorCode::out_of_capacity,
                                            .because = "none left"};
    memory.offering_backoffs[{PluginInstanceId("aws"), "m5.large", "eu-1a", true}] = {
        .since = written_at};
    memory.planned[NodeGroupId("web")] = {{2, {{"default/ReplicaSet/web", 3}}}};
    memory.unneeded["node-1"] = {.since = written_at, .ready = false};
    memory.removals["node-2"] = {.group = NodeGroupId("web"),
                                 .phase = engine::RemovalPhase::draining,
                                 .evictions = {{"default/web-1/u1", {.agreed = written_at}}}};
    memory.leaving["node-3"] = {.machine = MachineId("i-3"),
                                .since = written_at,
                                .evictions = {{"default/web-2/u2", {.agreed = written_at}}}};
    memory.last.scale_up = Time();
    EXPECT_EQ(written_memory(memory),
              R"({"version":2,"host":"1.2.0","memory":{"started":true,"backoffs":{"spot":)"
              R"({"since":"2026-11-21T11:00:00Z","until":"2026-11-21T11:05:00Z","length":"5m",)"
              R"("last_failure":"2026-11-21T11:00:00.000000001Z","code":"out_of_capacity",)"
              R"("because":"none left"}},"offering_backoffs":[{"key":{"cloud":"aws",)"
              R"("machine_type":"m5.large","zone":"eu-1a","spot":true},)"
              R"("value":{"since":"2026-11-21T11:00:00Z"}}],)"
              R"("planned":{"web":[{"nodes":2,"pods":{"default/ReplicaSet/web":3}}]},)"
              R"("unneeded":{"node-1":{"since":"2026-11-21T11:00:00Z","ready":false}},)"
              R"("removals":{"node-2":{"group":"web","phase":"draining","evictions":)"
              R"({"default/web-1/u1":{"agreed":"2026-11-21T11:00:00Z"}}}},)"
              R"("leaving":{"node-3":{"machine":"i-3","since":"2026-11-21T11:00:00Z","evictions":)"
              R"({"default/web-2/u2":{"agreed":"2026-11-21T11:00:00Z"}}}},)"
              R"("last":{"scale_up":"1970-01-01T00:00:00Z"}}})");
}

TEST(MemoryText, OfEmptyMemoryIsShort) {
    EXPECT_EQ(written_memory({}), R"({"version":2,"host":"1.2.0"})");
    EXPECT_EQ(record::parse_memory(R"({"version":2})", "memory"), Memory());
}

TEST(MemoryText, SupportsTimesOutsideTheCalendar) {
    Memory memory;
    memory.last = {.scale_up = Time::max(), .removal = Time::min()};
    EXPECT_EQ(record::parse_memory(written_memory(memory), "memory"), memory);
}

TEST(MemoryText, ReplacesInvalidUtf8) {
    Memory memory;
    memory.backoffs[NodeGroupId("a")].because = "caf\xe9";
    EXPECT_EQ(
        record::parse_memory(written_memory(memory), "memory")->backoffs[NodeGroupId("a")].because,
        "caf\ufffd");
}

TEST(MemoryText, ReportsTheLocationOfAllErrors) {
    EXPECT_EQ(
        refusal_of(R"({"version":2,"memory":{"last":7,"backoffs":{"a/b":{"since":"noon",)"
                   R"("length":"5","because":8}},"removals":{"n":{"phase":"tired"}}}})"),
        "memory: /memory/backoffs/a~1b/since: \"noon\" is not a time such as 2026-11-21T10:50:00Z\n"
        "memory: /memory/backoffs/a~1b/length: duration \"5\": missing or unknown unit, "
        "expected ns, us, ms, s, m, h or d\n"
        "memory: /memory/backoffs/a~1b/because: expects text, found a number (8)\n"
        "memory: /memory/removals/n/phase: expects one of tainting, waiting, draining, "
        "delayed, deleting, removed, undoing, found text (\"tired\")\n"
        "memory: /memory/last: expects an object, found a number (7)");
}

TEST(MemoryText, IsRefusedIfTruncatedOrWithoutAVersion) {
    const std::string whole = written_memory(record::RandomValues(3).make<Memory>());
    for (std::size_t size = 0; size < whole.size(); size += 5)
        EXPECT_NE(refusal_of(std::string_view(whole).substr(0, size)), "is read") << size;
    EXPECT_EQ(refusal_of("[]"), "memory: expects an object, found an array");
    EXPECT_EQ(refusal_of("{}"), "memory: /version: is missing");
    EXPECT_EQ(refusal_of(R"({"version":0})"),
              "memory: /version: expects an integer from 1 to 2147483647, found a number (0)");
}

TEST(MemoryText, OfAnotherVersionIsRefused) {
    EXPECT_EQ(refusal_of(R"({"version":1,"host":"0.1.0","memory":{"started":true}})"),
              "memory: has version 1, written by capstan 0.1.0; this version of capstan reads "
              "version 2 only");
    EXPECT_EQ(refusal_of(R"({"version":3,"host":"3.0.0","memory":7})"),
              "memory: has version 3, written by capstan 3.0.0; this version of capstan reads "
              "version 2 only");
}

TEST(MemoryText, IgnoresMembersOfLaterHosts) {
    EXPECT_TRUE(record::parse_memory(
                    R"({"version":2,"moods":[1],"memory":{"started":true,"mood":{}}})", "memory")
                    ->started);
}

TEST(MemoryText, DropsPlannedPodsIfThereIsNoRoom) {
    Memory memory;
    memory.started = true;
    memory.planned[NodeGroupId("web")] = {{1, {{"default/ReplicaSet/web", 3}}}};
    const std::size_t whole = written_memory(memory).size();
    memory.hints["default/web-1"] = "node-1";
    EXPECT_EQ(record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = whole}), "memory")
                  ->planned,
              memory.planned);
    EXPECT_EQ(
        record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = whole - 1}), "memory"),
        Memory{.started = true});
}

TEST(MemoryText, DropsTemplatesBeforePlannedPods) {
    Memory memory{.started = true};
    memory.planned[NodeGroupId("web")] = {{1, {{"default/ReplicaSet/web", 3}}}};
    const Memory kept = memory;
    memory.templates[NodeGroupId("web")] = {.fingerprint = "1"};
    const std::size_t whole = written_memory(memory).size();
    EXPECT_EQ(record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = whole}), "memory"),
              memory);
    EXPECT_EQ(
        record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = whole - 1}), "memory"),
        kept);
}

TEST(MemoryText, DropsUnneededTimersBeforeRequestsAndRemovals) {
    Memory memory{.started = true};
    memory.requests[NodeGroupId("web")] = {.increase = 3};
    memory.removals["node-2"] = {.group = NodeGroupId("web")};
    const Memory kept = memory;
    const std::size_t room = written_memory(memory).size();
    for (int i = 0; i < 20'000; ++i) memory.unneeded["node-" + std::to_string(i)] = {};
    const auto text = record::memory_text(memory, "1.2.0", {.all = room});
    ASSERT_TRUE(text) << text.error();
    EXPECT_EQ(record::parse_memory(*text, "memory"), kept);
}

TEST(MemoryText, DropsMessagesBeforeTemplates) {
    Memory memory{.started = true};
    memory.templates[NodeGroupId("web")] = {.fingerprint = "1"};
    memory.backoffs[NodeGroupId("web")] = {.since = written_at};
    const Memory kept = memory;
    const std::size_t room = written_memory(memory).size();
    memory.backoffs[NodeGroupId("web")].because = "no capacity";
    EXPECT_EQ(record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = room}), "memory"),
              kept);
}

TEST(MemoryText, DropsBackoffsLast) {
    Memory memory{.started = true};
    memory.requests[NodeGroupId("web")] = {.increase = 3};
    memory.removals["node-2"] = {.group = NodeGroupId("web")};
    const Memory kept = memory;
    const std::size_t least = written_memory(memory).size();
    memory.backoffs[NodeGroupId("web")] = {.since = written_at};
    memory.failed_calls[NodeGroupId("web")] = {.count = 1};
    const Memory with_backoffs = memory;
    const std::size_t room = written_memory(memory).size();
    memory.launched[NodeGroupId("web")][MachineId("i-1")] = written_at;
    memory.unjoined[NodeGroupId("web")][MachineId("i-1")] = written_at;
    memory.failed_machines[NodeGroupId("web")] = {MachineId("i-2")};
    memory.removals["node-2"].evictions["default/web-1/u1"] = {.agreed = written_at};
    const auto read_within = [&](std::size_t limit) {
        return record::parse_memory(*record::memory_text(memory, "1.2.0", {.all = limit}),
                                    "memory");
    };
    EXPECT_EQ(read_within(room), with_backoffs);
    EXPECT_EQ(read_within(room - 1), kept);
    EXPECT_FALSE(record::memory_text(memory, "1.2.0", {.all = least - 1}));
}

TEST(MemoryText, DropsHintsBeyondALimitOfTheirOwn) {
    Memory memory{.started = true};
    memory.unneeded["node-1"] = {.since = written_at};
    const Memory kept = memory;
    memory.hints["default/web-1"] = "node-1";
    const std::size_t whole = written_memory(memory).size();
    const auto text = record::memory_text(memory, "1.2.0", {.with_hints = whole - 1});
    EXPECT_EQ(record::parse_memory(*text, "memory"), kept);
}

TEST(MemoryText, HasRoomForFailuresOfAThousandGroups) {
    Memory memory;
    for (int i = 0; i < 1000; ++i) {
        const NodeGroupId group("group-of-some-name-" + std::to_string(i));
        memory.backoffs[group] = {.since = written_at,
                                  .until = written_at + 5min,
                                  .length = 5min,
                                  .last_failure = written_at,
                                  .because = std::string(8000, 'x')};
        memory.requests[group] = {
            .since = written_at, .deadline = written_at + 15min, .increase = 1};
    }
    EXPECT_LT(written_memory(memory).size(), std::size_t{1000} << 10) << "one ConfigMap";
}

TEST(MemoryText, DropsHintsFirst) {
    Memory memory;
    memory.started = true;
    memory.hints["default/web-1"] = "node-1";
    const std::size_t whole = written_memory(memory).size();
    EXPECT_EQ(*record::memory_text(memory, "1.2.0", {.all = whole}), written_memory(memory));
    const auto shorter = record::memory_text(memory, "1.2.0", {.all = whole - 1});
    ASSERT_TRUE(shorter) << shorter.error();
    EXPECT_EQ(record::parse_memory(*shorter, "memory"), Memory{.started = true});
    EXPECT_EQ(record::memory_text(memory, "1.2.0", {.all = 10}).error().message,
              "it needs at least 54 bytes; there is room for 10");
}

}  // namespace
}  // namespace capstan::autoscaler
