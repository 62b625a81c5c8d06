#include "engine/snapshot/symbols.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace capstan::engine::snapshot {
namespace {

TEST(Symbols, MapEqualTextsToOneSymbol) {
    Symbols symbols;
    const Symbol zone = symbols.add("topology.kubernetes.io/zone");
    EXPECT_EQ(symbols.add(std::string("topology.kubernetes.io/") + "zone"), zone);
    EXPECT_NE(symbols.add("topology.kubernetes.io/region"), zone);
    EXPECT_EQ(symbols.text(zone), "topology.kubernetes.io/zone");
}

TEST(Symbols, ContainTheEmptyTextInitially) {
    Symbols symbols;
    EXPECT_EQ(symbols.size(), 1u);
    EXPECT_EQ(symbols.add(""), Symbol::empty);
    EXPECT_EQ(symbols.text(Symbol::empty), "");
    EXPECT_EQ(symbols.find(""), Symbol::empty);
    EXPECT_EQ(symbols.size(), 1u);
}

TEST(Symbols, FindWithoutAdding) {
    Symbols symbols;
    EXPECT_EQ(symbols.find("web"), std::nullopt);
    const Symbol web = symbols.add("web");
    EXPECT_EQ(symbols.find("web"), web);
    EXPECT_EQ(symbols.find("we"), std::nullopt);
}

TEST(Symbols, DistinguishTextsOfEveryLength) {
    Symbols symbols;
    for (std::size_t length = 0; length < 70; ++length) {
        const std::string text(length, 'x');
        EXPECT_EQ(symbols.text(symbols.add(text)), text);
        EXPECT_EQ(symbols.text(symbols.add(text + '\0')), text + '\0');
    }
    EXPECT_EQ(symbols.size(), 140u);
}

TEST(Symbols, DoNotMoveTextsWhenOthersAreAdded) {
    Symbols symbols;
    const std::string_view first = symbols.text(symbols.add("first"));
    std::vector<Symbol> known;
    for (int i = 0; i < 20000; ++i) known.push_back(symbols.add("pod-" + std::to_string(i)));
    EXPECT_EQ(symbols.text(symbols.add("first")).data(), first.data());
    for (int i = 0; i < 20000; ++i) {
        ASSERT_EQ(symbols.text(known[static_cast<std::size_t>(i)]), "pod-" + std::to_string(i));
    }
    EXPECT_GT(symbols.bytes(), 20000u * sizeof(std::string_view));
}

TEST(Symbols, CanBeReadWhileAnotherThreadAddsTexts) {
    Symbols symbols;
    const Symbol early = symbols.add("early");
    std::thread reader([&] {
        for (int i = 0; i < 10000; ++i) ASSERT_EQ(symbols.text(early), "early");
    });
    for (int i = 0; i < 10000; ++i) symbols.add("late-" + std::to_string(i));
    reader.join();
}

}  // namespace
}  // namespace capstan::engine::snapshot
