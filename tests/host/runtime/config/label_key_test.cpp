#include "runtime/config/label_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::runtime {
namespace {

TEST(LabelKey, IsWhatTheApiTakes) {
    for (const std::string& key :
         {std::string("zone"), std::string("a"), std::string("topology.kubernetes.io/zone"),
          std::string("example.com/Rack_1.a-b"), std::string(63, 'x'),
          "a.b/" + std::string(63, 'x')})
        EXPECT_TRUE(is_label_key(key)) << key;
    for (const std::string& key :
         {std::string(""), std::string("/zone"), std::string("a/"), std::string("a/b/c"),
          std::string("-a"), std::string("a."), std::string("a b"), std::string("Example.com/a"),
          std::string("a..b/c"), std::string("-a.b/c"), std::string("a_b/c"), std::string(64, 'x'),
          std::string(254, 'a') + "/b"})
        EXPECT_FALSE(is_label_key(key)) << key;
}

}  // namespace
}  // namespace capstan::runtime
