#include "plugin_runtime/services/state_store.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace capstan::plugin_runtime::services {
namespace {

const PluginInstanceId aws("aws");

struct FileStateStoreTest : testing::Test {
    std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("state-" + std::to_string(::getpid()));
    FileStateStoreTest() { std::filesystem::create_directories(folder); }
    ~FileStateStoreTest() override { std::filesystem::remove_all(folder); }
};

TEST_F(FileStateStoreTest, KeepsValuesAndRevisionsAcrossARestart) {
    const std::string binary("a\0b\n", 4);
    std::uint64_t revision = 0;
    {
        FileStateStore store(folder);
        EXPECT_EQ(store.put(aws, "k", "first", 0).value(), 1u);
        revision = store.put(aws, "k", binary, 1).value();
        store.put(aws, "key with\nspace", "", 0).value();
    }
    FileStateStore store(folder);
    EXPECT_EQ(store.get(aws, "k").value().value, binary);
    EXPECT_EQ(store.get(aws, "k").value().revision, revision);
    EXPECT_EQ(store.get(aws, "key with\nspace").value().value, "");
    EXPECT_GT(store.put(aws, "new", "x", 0).value(), 3u);
}

TEST_F(FileStateStoreTest, SeparatesInstances) {
    FileStateStore store(folder);
    store.put(aws, "k", "x", 0).value();
    EXPECT_EQ(store.get(PluginInstanceId("gce"), "k").error().code, ErrorCode::not_found);
    store.put(PluginInstanceId("../evil"), "k", "y", 0).value();
    EXPECT_TRUE(std::filesystem::exists(folder / "%2E%2E%2Fevil.state"));
}

TEST_F(FileStateStoreTest, WritesOnlyOverTheExpectedRevision) {
    FileStateStore store(folder);
    const std::uint64_t first = store.put(aws, "k", "a", 0).value();
    EXPECT_EQ(store.put(aws, "k", "b", 0).error().code, ErrorCode::conflict);
    EXPECT_EQ(store.put(aws, "k", "b", first + 1).error().message,
              "state k has revision 1, expected 2");
    EXPECT_EQ(store.put(aws, "absent", "b", 7).error().code, ErrorCode::conflict);
    EXPECT_EQ(store.get(aws, "k").value().value, "a");
}

TEST_F(FileStateStoreTest, LimitsAnInstanceTo64Kibibytes) {
    FileStateStore store(folder);
    store.put(aws, "a", std::string((64 << 10) - 2, 'x'), 0).value();
    EXPECT_EQ(store.put(aws, "b", "xx", 0).error().code, ErrorCode::quota);
    EXPECT_EQ(store.get(aws, "b").error().code, ErrorCode::not_found) << "an error changes nothing";
    EXPECT_TRUE(store.put(PluginInstanceId("gce"), "b", "xx", 0));
}

TEST_F(FileStateStoreTest, DoesNotOverwriteAnUnreadableFile) {
    for (const std::string bytes :
         {"", "something else", "capstan-state 1\n", "capstan-state 1\n9\n1 5 5\nkey"}) {
        std::ofstream(folder / "aws.state") << bytes;
        FileStateStore store(folder);
        EXPECT_EQ(store.put(aws, "k", "x", 0).error().code, ErrorCode::unavailable) << bytes;
    }
    std::ifstream in(folder / "aws.state");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
              "capstan-state 1\n9\n1 5 5\nkey");
}

TEST_F(FileStateStoreTest, PutsAnUnreadableFileAsideBeforeInstancesStart) {
    FileStateStore(folder).put(PluginInstanceId("gce"), "k", "kept", 0).value();
    std::ofstream(folder / "aws.state") << "capstan-state 1\n9\n1 5 5\nkey";
    std::ofstream(folder / "notes.txt") << "not a state";
    ASSERT_EQ(::mkfifo((folder / "pipe.state").c_str(), 0600), 0);
    EXPECT_THAT(put_aside_unreadable_states(folder),
                testing::ElementsAre("plugin state " + (folder / "aws.state").string() +
                                     " cannot be parsed; renamed to " +
                                     (folder / "aws.state.unreadable").string() +
                                     "; the last state in the memory ConfigMap is used"));
    FileStateStore store(folder);
    EXPECT_EQ(store.get(aws, "k").error().code, ErrorCode::not_found);
    EXPECT_EQ(store.get(PluginInstanceId("gce"), "k").value().value, "kept");
    EXPECT_TRUE(std::filesystem::exists(folder / "aws.state.unreadable"));
    EXPECT_THAT(put_aside_unreadable_states(folder), testing::IsEmpty());
}

TEST_F(FileStateStoreTest, KeepsTheOldValueIfAWriteFails) {
    FileStateStore store(folder);
    store.put(aws, "k", "old", 0).value();
    std::filesystem::create_directory(folder / "aws.state.new");  // blocks the new file
    const auto written = store.put(aws, "k", "new", 1);
    EXPECT_EQ(written.error().code, ErrorCode::unavailable);
    EXPECT_THAT(written.error().message, testing::HasSubstr("create "));
    EXPECT_EQ(store.get(aws, "k").value().value, "old");
    EXPECT_EQ(FileStateStore(folder).get(aws, "k").value().value, "old");
}

TEST_F(FileStateStoreTest, SharesValuesBetweenProcesses) {
    FileStateStore leader(folder), standby(folder);
    leader.put(aws, "k", "first", 0).value();
    EXPECT_EQ(standby.get(aws, "k").value().value, "first");
    const std::uint64_t second = leader.put(aws, "k", "second", 1).value();
    EXPECT_EQ(standby.put(aws, "k", "late", 1).error().code, ErrorCode::conflict);
    EXPECT_EQ(standby.get(aws, "k").value().revision, second);
    EXPECT_TRUE(standby.put(aws, "k", "third", second));
    EXPECT_EQ(leader.get(aws, "k").value().value, "third");
}

TEST_F(FileStateStoreTest, ReportsThatAnotherProcessHoldsTheLock) {
    FileStateStore store(folder, {.lock = Duration::zero()});
    store.put(aws, "k", "old", 0).value();
    const io::FileDescriptor theirs(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(theirs.get(), LOCK_EX), 0);
    const auto written = store.put(aws, "k", "new", 1);
    EXPECT_EQ(written.error().code, ErrorCode::unavailable);
    EXPECT_EQ(written.error().message,
              "lock " + folder.string() + ": another process has held it for 0s");
    EXPECT_EQ(store.get(aws, "k").value().value, "old") << "reads do not wait for the lock";
    ASSERT_EQ(::flock(theirs.get(), LOCK_UN), 0);
    EXPECT_TRUE(store.put(aws, "k", "new", 1));
}

TEST_F(FileStateStoreTest, RespondsIfTheDiskDoesNot) {
    // Opening a FIFO blocks until its other end is opened.
    const std::filesystem::path stuck = folder / "stuck.state";
    ASSERT_EQ(::mkfifo(stuck.c_str(), 0600), 0);
    {
        FileStateStore store(folder, {.answer = std::chrono::milliseconds(20)});
        EXPECT_THAT(store.get(PluginInstanceId("stuck"), "k").error().message,
                    testing::EndsWith(" has not responded for 20ms"));
        const auto next = store.put(aws, "k", "x", 0);
        EXPECT_EQ(next.error().code, ErrorCode::unavailable);
        EXPECT_THAT(next.error().message, testing::EndsWith(" was busy with other calls for 20ms"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "aws.state")) << "an abandoned call does not run";
    const io::FileDescriptor other_end(::open(stuck.c_str(), O_WRONLY | O_CLOEXEC));
}

/// Two hosts that lead in turn, each with its own store.
struct StateHandover : testing::Test {
    MemoryStateStore a, b;
    std::string shared() { return a.share(aws, "a").value(); }
};

TEST_F(StateHandover, ContinuesWithTheValuesOfTheOtherHost) {
    a.put(aws, "k", "of a", 0).value();
    EXPECT_TRUE(b.take_over(aws, shared()).value());
    EXPECT_EQ(b.get(aws, "k").value().value, "of a");
    b.put(aws, "k", "of b", b.get(aws, "k").value().revision).value();
    EXPECT_TRUE(a.take_over(aws, b.share(aws, "b").value()).value());
    EXPECT_EQ(a.get(aws, "k").value().value, "of b");
}

TEST_F(StateHandover, RefusesAWriteBasedOnAnEarlierRevision) {
    const std::uint64_t before = a.put(aws, "k", "of a", 0).value();
    b.put(aws, "k", "of b", 0).value();
    ASSERT_TRUE(a.take_over(aws, b.share(aws, "b").value()).value());
    EXPECT_EQ(a.put(aws, "k", "late", before).error().code, ErrorCode::conflict);
}

TEST_F(StateHandover, DropsValuesTheOtherHostNeverHad) {
    a.put(aws, "k", "of a", 0).value();
    b.put(aws, "own", "of b", 0).value();
    ASSERT_TRUE(b.take_over(aws, shared()).value());
    EXPECT_EQ(b.get(aws, "own").error().code, ErrorCode::not_found);
}

TEST_F(StateHandover, IgnoresItsOwnSharedText) {
    a.put(aws, "k", "shared", 0).value();
    const std::string text = shared();
    a.put(aws, "k", "later", 1).value();
    EXPECT_FALSE(a.take_over(aws, text).value());
    EXPECT_EQ(a.get(aws, "k").value().value, "later");
    EXPECT_EQ(a.share(aws, "another name").value().find("another name"), std::string::npos);
}

TEST_F(StateHandover, SharesNothingWithoutValues) { EXPECT_EQ(shared(), ""); }

TEST_F(StateHandover, SharesBinaryValues) {
    const std::string bytes("\xff\0\n", 3);
    a.put(aws, "k", bytes, 0).value();
    EXPECT_TRUE(shared().starts_with("base64:"));
    ASSERT_TRUE(b.take_over(aws, shared()).value());
    EXPECT_EQ(b.get(aws, "k").value().value, bytes);
}

TEST_F(StateHandover, ChangesNothingForInvalidText) {
    b.put(aws, "k", "of b", 0).value();
    for (const std::string text :
         {"", "something else", "capstan-state 1\n9", "base64:?", "base64:AAAA"})
        EXPECT_EQ(b.take_over(aws, text).error().code, ErrorCode::invalid_argument) << text;
    EXPECT_EQ(b.get(aws, "k").value().value, "of b");
}

TEST_F(FileStateStoreTest, IgnoresItsOwnSharedTextAfterARestart) {
    std::string text;
    {
        FileStateStore store(folder);
        store.put(aws, "k", "x", 0).value();
        text = store.share(aws, "first process").value();
    }
    FileStateStore store(folder);
    EXPECT_FALSE(store.take_over(aws, text).value());
    EXPECT_EQ(store.share(aws, "second process").value(), text);
    EXPECT_EQ(store.get(aws, "k").value().value, "x");
}

TEST_F(FileStateStoreTest, TakesOverItsOwnSharedTextAfterItsFileWasPutAside) {
    std::string text;
    {
        FileStateStore store(folder);
        store.put(aws, "k", "x", 0).value();
        text = store.share(aws, "first process").value();
    }
    std::ofstream(folder / "aws.state", std::ios::trunc) << "";
    ASSERT_THAT(put_aside_unreadable_states(folder), testing::SizeIs(1));
    FileStateStore store(folder);
    EXPECT_TRUE(store.take_over(aws, text).value());
    EXPECT_EQ(store.get(aws, "k").value().value, "x");
}

TEST(StateStore, LimitsTheLengthOfKeys) {
    MemoryStateStore store;
    EXPECT_EQ(store.put(aws, "", "x", 0).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(store.put(aws, std::string(254, 'k'), "x", 0).error().code,
              ErrorCode::invalid_argument);
    EXPECT_TRUE(store.put(aws, std::string(253, 'k'), "x", 0));
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
