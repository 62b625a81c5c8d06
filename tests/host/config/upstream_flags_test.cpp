#include "config/upstream_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "config/print.hpp"
#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const PluginSettings* no_settings_loaded(const PluginInstanceId&) { return nullptr; }

std::string explain(std::string_view key) {
    const auto text = explain_key(key, nullptr, no_settings_loaded);
    return text ? *text : "ERROR " + text.error().message;
}

std::string errors_of(const std::string& text) {
    const ShippedFolder folder{"expanders/random.so", "expanders/least_waste.so",
                               "balancer/node_groups.so", "similarity/resources.so",
                               "similarity/labels.so"};
    return load_config(Source{"t.toml", text}, folder.plugins()).diagnostics.text();
}

TEST(UpstreamFlags, AreSortedAndNameExistingKeys) {
    EXPECT_TRUE(std::ranges::is_sorted(upstream_flags(), {}, &UpstreamFlag::name));
    for (const UpstreamFlag& flag : upstream_flags()) {
        SCOPED_TRACE(flag.name);
        EXPECT_FALSE(flag.key.empty() && flag.remark.empty());
        if (flag.key.find(".settings.") == std::string_view::npos && !flag.key.empty()) {
            EXPECT_THAT(explain_key(flag.key, nullptr, no_settings_loaded).value_or(""),
                        StartsWith(std::string(flag.key) + "\n"));
        }
    }
}

TEST(UpstreamFlags, AreFoundInEverySpelling) {
    for (const char* name : {"cores-total", "--cores-total", "cores_total", "-cores-total=0:100"})
        EXPECT_EQ(find_upstream_flag(name), find_upstream_flag("cores-total")) << name;
    for (const char* name : {"", "--", "cores", "cores-total-x"})
        EXPECT_EQ(find_upstream_flag(name), nullptr) << name;
}

TEST(UpstreamFlags, AreExplainedAsTheirKey) {
    EXPECT_EQ(explain("--scale-down-utilization-threshold"),
              explain("scale_down.utilization_threshold"));
    EXPECT_EQ(explain("memory_total"), explain("limits.memory"));
    EXPECT_THAT(
        explain("limits.memory"),
        HasSubstr("  upstream flag: --memory-total (in GiB: 0:64 is { max = \"64Gi\" })\n"));
    EXPECT_EQ(explain("node-group-auto-discovery"),
              "--node-group-auto-discovery\n"
              "  key: plugin.aws.settings.discovery (on GCE plugin.gce.settings.discovery)\n");
    EXPECT_EQ(explain("estimator"),
              "--estimator\n  No key replaces this flag: always binpacking\n");
    EXPECT_EQ(explain("scale-down-unneded-time"),
              "ERROR there is no key 'scale-down-unneded-time'; did you mean "
              "scale_down.unneeded_time?");
}

TEST(UpstreamFlags, AreRecognizedInAConfiguration) {
    EXPECT_THAT(errors_of("[scale_down]\nscale_down_utilization_threshold = 0.7\n"),
                HasSubstr("unknown key 'scale_down_utilization_threshold'; the key for upstream's "
                          "--scale-down-utilization-threshold is "
                          "scale_down.utilization_threshold\n"));
    EXPECT_THAT(errors_of("memory-total = \"0:64\"\n"),
                HasSubstr("the key for upstream's --memory-total is limits.memory (in GiB"));
    EXPECT_THAT(errors_of("[scale_down]\nmax_node_provision_time = \"5m\"\n"),
                HasSubstr("; it belongs in [scale_up]\n"));
    EXPECT_THAT(errors_of("[pipeline]\nestimator = \"binpacking\"\n"),
                HasSubstr("; no key replaces upstream's --estimator: always binpacking\n"));
    EXPECT_THAT(errors_of("[cluster]\nnames = \"x\"\n"), Not(HasSubstr("upstream")));
}

}  // namespace
}  // namespace capstan::config
