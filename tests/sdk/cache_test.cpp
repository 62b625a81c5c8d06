#include <capstan/cache.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/task.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using capstan::CachedBlob;
using capstan::ErrorCode;
using capstan::Host;
using capstan::Result;
using capstan::Task;
using capstan::testing::FakeHost;
using namespace std::chrono_literals;

Task<Result<CachedBlob>> types_of(Host host) {
    const auto read = [host] { return capstan::read_cache(host, "machine-types.json"); };
    co_return co_await blocking(host, read);
}

TEST(Cache, ReturnsValueAndTimeOfAnEntry) {
    FakeHost host;
    EXPECT_EQ(capstan::read_cache(host.host(), "types").error().code, ErrorCode::not_found);
    EXPECT_TRUE(capstan::write_cache(host.host(), "types", std::string("a\0b", 3)));
    const auto put = host.now();
    host.advance(1h);
    const Result<CachedBlob> blob = capstan::read_cache(host.host(), "types");
    ASSERT_TRUE(blob);
    EXPECT_EQ(blob->value, std::string("a\0b", 3));
    EXPECT_EQ(blob->put, put);
    EXPECT_TRUE(capstan::write_cache(host.host(), "types", ""));
    EXPECT_EQ(capstan::read_cache(host.host(), "types")->value, "");
    EXPECT_TRUE(capstan::remove_from_cache(host.host(), "types"));
    EXPECT_EQ(capstan::remove_from_cache(host.host(), "types").error().code, ErrorCode::not_found);
}

TEST(Cache, IsReadOnABlockingThread) {
    FakeHost host;
    host.cache()["machine-types.json"] = {.value = "[]", .put = host.now()};
    const Result<Result<CachedBlob>> read = capstan::testing::run(host, types_of(host.host()));
    ASSERT_TRUE(read && *read);
    EXPECT_EQ((*read)->value, "[]");
}

TEST(Cache, RejectsNamesThatAreNotPlainFileNames) {
    FakeHost host;
    for (const char* const name : {"", ".", "..", ".hidden", "a/b", "a b", "\xc3\xa4"}) {
        EXPECT_EQ(capstan::write_cache(host.host(), name, "x").error().code,
                  ErrorCode::invalid_argument)
            << name;
    }
    EXPECT_TRUE(capstan::write_cache(host.host(), std::string(100, 'n'), "x"));
    EXPECT_FALSE(capstan::write_cache(host.host(), std::string(101, 'n'), "x"));
}

TEST(Cache, IsUnsupportedIfTheHostHasNone) {
    FakeHost bare;
    bare.withhold(CAPSTAN_SERVICE_CACHE);
    EXPECT_EQ(capstan::read_cache(bare.host(), "types").error().code, ErrorCode::unsupported);
    EXPECT_EQ(capstan::write_cache(bare.host(), "types", "x").error().code, ErrorCode::unsupported);
    EXPECT_EQ(capstan::remove_from_cache(bare.host(), "types").error().code,
              ErrorCode::unsupported);
}

}  // namespace
