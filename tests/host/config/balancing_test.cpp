#include "config/balancing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

Loaded load_balancing(const std::string& text) {
    const ShippedFolder folder{"aws.so",
                               "expanders/least_waste.so",
                               "expanders/random.so",
                               "similarity/resources.so",
                               "similarity/labels.so",
                               "balancer/node_groups.so"};
    return load_config(Source{"capstan.toml", text}, folder.plugins());
}

/// A configuration and its expected balancing.
struct BalancingFile {
    const char* title;
    const char* text;
    std::vector<std::string> checks;
    bool is_balanced;
};

TEST(Balancing, IsOnUnlessDisabledOrWithoutChecks) {
    const std::vector<std::string> both{"resources", "labels"};
    const BalancingFile files[] = {
        {"an empty file", "", both, true},
        {"a pipeline without the section", "[pipeline]\nclouds = [\"aws\"]\n", both, true},
        {"off", "scale_up.balance_similar = false\n", both, false},
        {"on", "scale_up.balance_similar = true\n", both, true},
        {"other keys of the section", "[pipeline.scale_up]\nexpanders = [\"random\"]\n", both,
         true},
        {"an empty section", "[pipeline.scale_up]\n", both, true},
        {"no checks", "[pipeline.scale_up]\nsimilarity = []\n", {}, false},
        {"no checks, and off",
         "scale_up.balance_similar = false\n[pipeline.scale_up]\nsimilarity = []\n",
         {},
         false},
        {"one check", "[pipeline.scale_up]\nsimilarity = [\"labels\"]\n", {"labels"}, true},
    };
    for (const BalancingFile& file : files) {
        SCOPED_TRACE(file.title);
        const Loaded loaded = load_balancing(file.text);
        ASSERT_EQ(loaded.diagnostics.text(), "");
        std::vector<std::string> checks;
        for (const PluginInstanceId& check : loaded.config->pipeline.scale_up.similarity)
            checks.push_back(check.value());
        EXPECT_EQ(checks, file.checks);
        EXPECT_EQ(loaded.config->scale_up.balance_similar, file.is_balanced);
    }
}

TEST(Balancing, CannotBeEnabledWithoutChecks) {
    EXPECT_EQ(load_balancing("[scale_up]\n"
                             "balance_similar = true\n"
                             "[pipeline.scale_up]\n"
                             "similarity = []\n")
                  .diagnostics.text(),
              "capstan.toml:2:1: scale_up.balance_similar: true needs similarity checks; remove "
              "similarity = [] from [pipeline.scale_up]\n"
              "    balance_similar = true\n"
              "    ^^^^^^^^^^^^^^^\n");
}

}  // namespace
}  // namespace capstan::config
