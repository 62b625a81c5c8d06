#include "autoscaler/dump/label_preset.hpp"

#include <gtest/gtest.h>

namespace capstan::autoscaler::dump {
namespace {

using engine::snapshot::NodeObject;

TEST(LabelPreset, IsThatOfMostNodes) {
    const NodeObject aws{.provider_id = "aws:///eu-central-1a/i-1"};
    const NodeObject gce{.provider_id = "gce://project/zone/vm"};
    const NodeObject azure{.provider_id = "azure:///subscriptions/s/vm"};
    const NodeObject kind{.provider_id = "kind://docker/kind/worker",
                          .labels = {{"cloud.google.com/gke-nodepool", "p"}}};
    const NodeObject eks{.labels = {{"eks.amazonaws.com/nodegroup", "web"}}};
    const NodeObject gke{.labels = {{"cloud.google.com/gke-nodepool", "p"}}};
    const NodeObject aks{.labels = {{"kubernetes.azure.com/agentpool", "p"}}};
    struct Case {
        std::vector<NodeObject> nodes;
        const char* preset;
    };
    for (const Case& c :
         {Case{{aws}, "aws"}, Case{{gce}, "gce"}, Case{{azure}, "azure"}, Case{{eks}, "aws"},
          Case{{gke}, "gce"}, Case{{aks}, "azure"}, Case{{kind}, ""}, Case{{}, ""},
          Case{{NodeObject()}, ""}, Case{{aws, gce, gce}, "gce"}, Case{{aws, kind, kind}, "aws"}})
        EXPECT_EQ(find_label_preset(c.nodes), c.preset);
}

config::PluginConfig labels_plugin(const std::string& settings) {
    return {.id = PluginInstanceId("labels"),
            .shipped = true,
            .file = "/plugins/similarity/labels.so",
            .settings = *config::parse_toml_value(settings)};
}

TEST(LabelPreset, IsSetWhereTheConfigurationSaysNothing) {
    struct Case {
        const char* settings;
        const char* preset;
        bool is_set;
    };
    for (const Case& c : {Case{"{}", "aws", true}, Case{"{ ignore = [\"team\"] }", "aws", true},
                          Case{"{ preset = \"gce\" }", "gce", false},
                          Case{"{ only = [\"team\"] }", nullptr, false}}) {
        config::Config config;
        config.plugins = {labels_plugin(c.settings)};
        const std::string remark = set_label_preset(config, "aws");
        EXPECT_EQ(!remark.empty(), c.is_set) << c.settings;
        const auto* const preset = config.plugins.front().settings.find("preset");
        EXPECT_EQ(preset == nullptr ? "" : preset->text, c.preset == nullptr ? "" : c.preset);
    }
}

TEST(LabelPreset, SaysWhichOneIsSet) {
    config::Config config;
    config.plugins = {labels_plugin("{}")};
    EXPECT_EQ(set_label_preset(config, "gce"),
              "plugin.labels: preset \"gce\", the cloud of the dump's nodes; the configuration can "
              "set another");
    EXPECT_EQ(set_label_preset(config, "aws"), "") << "it is set now";
    config.plugins = {labels_plugin("{}")};
    EXPECT_EQ(set_label_preset(config, ""), "");
    config.plugins.front().shipped = false;
    EXPECT_EQ(set_label_preset(config, "aws"), "") << "a vendor's plugin of that name";
}

}  // namespace
}  // namespace capstan::autoscaler::dump
