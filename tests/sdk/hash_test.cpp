#include <capstan/hash.hpp>

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(StableHash, MatchesThePublishedFnv1aValueOfAText) {
    EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325u);
    EXPECT_EQ(fnv1a64("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(fnv1a64("foobar"), 0x85944171f73967e8u);
}

template <class... Parts>
std::uint64_t hash_of(Parts... parts) {
    Hash hash;
    (hash.add(parts), ...);
    return hash.value();
}

TEST(StableHash, DependsOnTheBoundariesAndOrderOfTheParts) {
    EXPECT_NE(hash_of("ab", "c"), hash_of("a", "bc"));
    EXPECT_NE(hash_of("a"), hash_of("a", ""));
    EXPECT_NE(hash_of("a", "b"), hash_of("b", "a"));
}

TEST(StableHash, DependsOnEveryByteOfANumber) {
    EXPECT_NE(hash_of(std::int64_t{1}), hash_of(std::int64_t{1} << 56));
    EXPECT_NE(hash_of(std::int64_t{-1}), hash_of(std::int64_t{1}));
    EXPECT_EQ(hash_of(std::int64_t{-1}), hash_of(std::int64_t{-1}));
}

}  // namespace
}  // namespace capstan
