#include <gmock/gmock.h>

#include <functional>
#include <utility>
#include <vector>

#include "sources.hpp"

namespace capstan::gce {
namespace {

TEST(GceFingerprints, AreStableForTheSameSources) {
    EXPECT_EQ(fingerprint_of(usual_sources(), {}), fingerprint_of(usual_sources(), {}));
    TemplateSources busy = usual_sources();
    busy.group.target_size = 7;
    busy.group.is_stable = true;
    EXPECT_EQ(fingerprint_of(busy, {}), fingerprint_of(usual_sources(), {}))
        << "the target is not part of the template";
}

TEST(GceFingerprints, ChangeWithEverySource) {
    const std::string before = fingerprint_of(usual_sources(), {});
    const std::vector<std::pair<const char*, std::function<void(TemplateSources&)>>> changes{
        {"another instance template", [](auto& s) { s.instance_template.link.name = "web-2"; }},
        {"a new instance template with the same name",
         [](auto& s) { s.instance_template.id = "78"; }},
        {"zones", [](auto& s) { s.group.zones.push_back("us-central1-b"); }},
        {"the resources of the type", [](auto& s) { s.machine_type->memory_mib = 1; }},
        {"a type that is unknown", [](auto& s) { s.machine_type.reset(); }},
        {"the image", [](auto& s) { s.image = GceImage{.arch = "arm64"}; }},
        {"flexible types", [](auto& s) { s.group.flexible_types = {"n2-standard-8"}; }}};
    for (const auto& [name, change] : changes) {
        TemplateSources sources = usual_sources();
        change(sources);
        EXPECT_NE(fingerprint_of(sources, {}), before) << name;
    }
    EXPECT_NE(fingerprint_of(usual_sources(), {.max_pods = 32}), before);
}

}  // namespace
}  // namespace capstan::gce
