#include "plugin_runtime/plugin_files/sha256.hpp"

#include <gtest/gtest.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

TEST(Sha256, MatchesPublishedExamples) {
    EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex(bytes_of("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, ParsesPinsInEitherCase) {
    EXPECT_EQ(parse_sha256(std::string(64, 'A')), std::string(64, 'a'));
    EXPECT_FALSE(parse_sha256(std::string(63, 'a')));
    EXPECT_FALSE(parse_sha256(std::string(64, 'g')));
    EXPECT_FALSE(parse_sha256(""));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
