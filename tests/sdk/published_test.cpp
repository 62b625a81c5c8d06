#include <capstan/published.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using capstan::Published;

TEST(Published, IsEmptyInitially) { EXPECT_EQ(Published<int>().read(), nullptr); }

TEST(Published, KeepsAnEarlierValueUnchanged) {
    Published<int> value(1);
    const std::shared_ptr<const int> before = value.read();
    value.publish(2);
    EXPECT_EQ(*before, 1);
    EXPECT_EQ(*value.read(), 2);
}

TEST(Published, IsReadConsistentlyOnAnyThread) {
    Published<std::vector<int>> value(std::vector<int>(100, 0));
    std::atomic<bool> is_whole = true;
    std::vector<std::thread> readers;
    for (int r = 0; r < 2; ++r) {
        readers.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) {
                const auto read = value.read();
                if (read->front() != read->back()) is_whole = false;
            }
        });
    }
    for (int i = 1; i <= 1000; ++i) value.publish(std::vector<int>(100, i));
    for (std::thread& reader : readers) reader.join();
    EXPECT_TRUE(is_whole);
}

}  // namespace
