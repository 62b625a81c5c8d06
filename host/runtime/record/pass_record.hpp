/// One pass, with all that its decision depends on and what it came to: a file that stands for
/// itself. From it the pass is decided again (replay.hpp), asked about, and reported as a bug.
///
/// JSON on one line. How large: 110 to 160 bytes for each pod, 750 to 1500 for a node with its
/// machine and what is said of it, by its labels, 60 for each hint, which memory has before and
/// after. 5000 nodes with 30 pods each take 25 to 50 MB, a hundred nodes less than one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "engine/pass/outcome.hpp"
#include "runtime/pass_cycle.hpp"
#include "runtime/plugin_set.hpp"
#include "runtime/record/cluster_record.hpp"
#include "runtime/record/described_types.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_STRUCT(CallContext, (), (seed, now, wall, dry_run, simulation, unobserved_because))
BOOST_DESCRIBE_STRUCT(Group, (),
                      (group, cloud, described, undescribed_because, options, price_per_hour,
                       machines, plan, unreadable_because))
BOOST_DESCRIBE_STRUCT(CloudMachines, (), (cloud, types))
BOOST_DESCRIBE_STRUCT(CandidateGroup, (), (planned, options, price_per_hour))
BOOST_DESCRIBE_STRUCT(PassFigures, (),
                      (untried_pods, left_out_pods, at_maximum, at_minimum, looked_at_nodes))

}  // namespace capstan::engine

namespace capstan::engine::pass {

BOOST_DESCRIBE_STRUCT(Outcome, (), (decision, memory, wake_at, figures))

}  // namespace capstan::engine::pass

namespace capstan::runtime {

BOOST_DESCRIBE_STRUCT(PlannedGroupAnswer, (), (cloud, plan, group, error))

}  // namespace capstan::runtime

namespace capstan::runtime::loop {

BOOST_DESCRIBE_ENUM(Hook, create, start, stop, destroy, reconfigure, self_check, callback, blocking,
                    refresh, increase, decrease_target, remove, describe, price, options,
                    machine_types, new_group, create_group, destroy_group, filter, similar, bucket,
                    split, suggest, owns, reconcile)

}  // namespace capstan::runtime::loop

namespace capstan::runtime::instances {

BOOST_DESCRIBE_STRUCT(SkippedHook, (), (instance, hook, because))
BOOST_DESCRIBE_STRUCT(ExpanderAnswer, (), (instance, seed, groups, kept, sentences, error))
}  // namespace capstan::runtime::instances

namespace capstan::runtime::record {

/// A plugin that was asked, as it was.
struct PluginRecord {
    std::string id{};      ///< of the instance
    std::string plugin{};  ///< "capstan.random"
    std::string version{};
    std::string sha256{};  ///< of its file
    bool operator==(const PluginRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(PluginRecord, (), (id, plugin, version, sha256))

/// With what a host decides, the same for all its passes.
struct SetupRecord {
    std::string config{};         ///< TOML: what it sets
    std::string config_sha256{};  ///< of that text
    std::vector<PluginRecord> plugins{};
};
BOOST_DESCRIBE_STRUCT(SetupRecord, (), (config, config_sha256, plugins))

struct PassRecord {
    int version = 0;     ///< of the format
    std::string host{};  ///< the version of the host
    SetupRecord setup{};
    engine::CallContext call_context{};
    std::vector<instances::SkippedHook> skipped_hooks{};
    std::vector<instances::ExpanderAnswer> expander_answers{};  ///< see PassResult
    ClusterRecord cluster{};
    std::vector<engine::Group> groups{};  ///< with prices and options
    std::vector<engine::CloudMachines> machines{};
    engine::UnreadClouds unread{};
    std::vector<std::string> notes{};                    ///< see PassResult
    std::vector<PlannedGroupAnswer> candidate_groups{};  ///< see PassResult
    engine::Memory memory{};
    engine::pass::Outcome outcome{};
};
BOOST_DESCRIBE_STRUCT(PassRecord, (),
                      (version, host, setup, call_context, skipped_hooks, expander_answers, cluster,
                       groups, machines, unread, notes, candidate_groups, memory, outcome))

PluginRecord make_plugin_record(const LoadedPlugin& plugin);
SetupRecord make_setup_record(const config::Config& config, const PluginSet& plugins);
PassRecord make_pass_record(std::string_view host, const SetupRecord& setup, const PassInput& input,
                            const PassResult& result);

std::string pass_record_text(const PassRecord& record);
/// The error as of parse_versioned. A record whose configuration does not have its digest has been
/// tampered with, which is an error too.
Result<PassRecord> parse_pass_record(std::string_view text, std::string_view name);

}  // namespace capstan::runtime::record
