#include "plugin_runtime/services/cache_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "../test_host.hpp"

namespace capstan::plugin_runtime::services {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct CacheStoreTest : ::testing::Test {
    fs::path temporary =
        fs::path(testing::TempDir()) / ("capstan_cache." + std::to_string(::getpid()));
    fs::path folder = temporary / "cache";
    CacheStore store{folder, {.blob = 64, .instance = 256}};
    PluginInstanceId aws{"aws"}, gce{"gce"};

    CacheStoreTest() { fs::create_directories(temporary); }
    ~CacheStoreTest() override { fs::remove_all(temporary); }
    /// "ok", or the name of the error's code.
    std::string_view put(std::string_view name, std::string_view value) {
        const Result<void> done = store.put(aws, name, value);
        return done ? "ok" : name_of(done.error().code);
    }
};

TEST_F(CacheStoreTest, KeepsBlobsForTheNextProcess) {
    ASSERT_TRUE(store.put(aws, "types.json", "old"));
    ASSERT_TRUE(store.put(aws, "types.json", std::string("n\0w", 3)));
    CacheStore next(folder);
    ASSERT_TRUE(next.get(aws, "types.json"));
    EXPECT_EQ(next.get(aws, "types.json")->value, std::string("n\0w", 3));
    EXPECT_EQ(next.get(gce, "types.json").error().code, ErrorCode::not_found)
        << "of another instance";
    ASSERT_TRUE(next.remove(aws, "types.json"));
    EXPECT_EQ(next.get(aws, "types.json").error().code, ErrorCode::not_found);
    EXPECT_EQ(next.remove(aws, "types.json").error().code, ErrorCode::not_found);
}

TEST_F(CacheStoreTest, MayLoseBlobsAtAnyTime) {
    ASSERT_TRUE(store.put(aws, "types", "x"));
    fs::remove_all(folder);
    EXPECT_EQ(store.get(aws, "types").error().code, ErrorCode::not_found);
    EXPECT_TRUE(store.put(aws, "types", "again"));
}

TEST_F(CacheStoreTest, LimitsTheSizeOfAnInstance) {
    const std::string large(64, 'x');
    EXPECT_EQ(put("huge", large + "x"), "quota");
    for (const char* const name : {"1", "2", "3", "4"}) EXPECT_EQ(put(name, large), "ok") << name;
    EXPECT_EQ(put("5", "x"), "quota");
    EXPECT_EQ(put("4", "x"), "ok") << "replaces itself";
    EXPECT_EQ(put("5", "x"), "ok");
    EXPECT_TRUE(store.put(gce, "1", large));
}

TEST_F(CacheStoreTest, RefusesNamesOfOtherFiles) {
    for (const char* const name : {"", ".", "..", "../aws", "a/b", ".new"})
        EXPECT_EQ(put(name, "x"), "invalid_argument") << name;
    EXPECT_FALSE(store.put(PluginInstanceId(".."), "x", "x"));
    fs::create_directories(folder / "aws");
    std::ofstream(temporary / "secret") << "s3cret";
    fs::create_symlink(temporary / "secret", folder / "aws" / "link");
    EXPECT_EQ(store.get(aws, "link").error().code, ErrorCode::unavailable);
    fs::create_directories(folder / "aws" / "folder");
    EXPECT_EQ(store.get(aws, "folder").error().code, ErrorCode::unavailable);
}

TEST_F(CacheStoreTest, ReportsAnUnusableFolder) {
    std::ofstream(folder) << "a file";
    const Result<void> done = store.put(aws, "types", "x");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::unavailable);
    EXPECT_THAT(done.error().message, HasSubstr((folder / "aws").string()));
}

TEST_F(CacheStoreTest, IsOfferedToInstancesWithTheGrant) {
    TestHost host;
    HostEnvironment environment = host.environment();
    InstanceIdentity instance = identity("aws");
    const auto service = [](const HostContext& context) {
        return static_cast<const capstan_cache*>(
            context.host()->service(context.host(), CAPSTAN_SERVICE_CACHE));
    };
    environment.cache = std::make_shared<CacheStore>(folder);
    EXPECT_EQ(service(*HostContext::make(environment, instance)), nullptr);
    instance.grants.cache = true;
    const auto granted = HostContext::make(environment, instance);
    const capstan_cache* const cache = service(*granted);
    ASSERT_NE(cache, nullptr);
    EXPECT_EQ(cache->put(granted->host(), str("types"), str("x")), CAPSTAN_OK);
    EXPECT_EQ(cache->remove(granted->host(), str("nothing")), CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(store.get(aws, "types")->value, "x");
    environment.cache = nullptr;
    EXPECT_EQ(service(*HostContext::make(environment, instance)), nullptr);
    EXPECT_THAT(host.lines->text(), HasSubstr("its cache is disabled"));
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
