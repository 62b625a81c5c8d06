/// A cluster with a ConfigMap of priorities, and its watch.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>

#include "config_map.hpp"

namespace capstan::tests {

using expanders::ConfigMapName;
using expanders::FollowedConfigMap;
using expanders::Tiers;

inline const KubeResource config_maps("", "v1", "configmaps", "ConfigMap");

/// A cluster, and the priorities that the watched ConfigMap kube-system/prio has delivered.
struct WatchedConfigMap {
    testing::FakeHost host;
    std::vector<Tiers> delivered{};
    std::unique_ptr<FollowedConfigMap> map{};

    Result<void> start() {
        map = std::make_unique<FollowedConfigMap>(
            host.host(), ConfigMapName{.ns = "kube-system", .name = "prio"},
            [this](Tiers tiers) { delivered.push_back(std::move(tiers)); });
        Result<void> started = run(host, map->start());
        host.run();
        return started;
    }
    void write_data(Json data, const std::string& ns = "kube-system",
                    const std::string& name = "prio", const std::string& label = "") {
        Json object = Json::object({{"data", std::move(data)}});
        object.at("metadata").set("namespace", ns).set("name", name);
        object.at("metadata").at("labels").set("a", label);
        host.kube().put(config_maps, std::move(object));
        host.run();
    }
    void write(const std::string& document) {
        write_data(Json::object({{"priorities", document}}));
    }
    void remove() {
        host.kube().remove(config_maps, "kube-system", "prio");
        host.run();
    }
    /// The highest priority of each delivered version.
    std::vector<std::int64_t> priorities() const {
        std::vector<std::int64_t> out;
        for (const Tiers& tiers : delivered) out.push_back(tiers.begin()->first);
        return out;
    }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        for (const testing::LogLine& line : host.log_lines()) {
            if (line.level >= CAPSTAN_LOG_WARN) out.push_back(line.message);
        }
        return out;
    }
    std::vector<std::string> events() {
        std::vector<std::string> out;
        for (const testing::KubeNote& note : host.kube().notes()) {
            EXPECT_TRUE(note.is_warning);
            EXPECT_EQ(note.about.ns + "/" + note.about.name, "kube-system/prio");
            out.push_back(note.reason + ": " + note.message);
        }
        return out;
    }
};

}  // namespace capstan::tests
