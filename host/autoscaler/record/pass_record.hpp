/// One pass as a self-contained file: all inputs of its decision, and its outcome. The file is
/// enough to decide the pass again (replay.hpp), to explain it, and for a bug report.
///
/// The format is JSON on one line. Sizes: 110 to 160 bytes per pod; 750 to 1500 bytes per node with
/// its machine and its reasons, depending on its labels; 60 bytes per hint, in the memory before
/// and in the memory after the pass. 5000 nodes with 30 pods each take 25 to 50 MB, a hundred nodes
/// less than 1 MB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "autoscaler/plugin_set.hpp"
#include "autoscaler/record/cluster_record.hpp"
#include "autoscaler/record/described_types.hpp"
#include "engine/pass/outcome.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_STRUCT(CallContext, (),
                      (seed, now, wall, dry_run, simulation, unobserved_because, unwritten_because,
                       searches_max))
BOOST_DESCRIBE_STRUCT(Group, (),
                      (group, cloud, described, undescribed_because, options, price_per_hour,
                       machines, target_lag, plan, unreadable_because))
BOOST_DESCRIBE_STRUCT(CloudMachines, (), (cloud, types))
BOOST_DESCRIBE_STRUCT(CandidateGroup, (), (planned, options, price_per_hour))
BOOST_DESCRIBE_STRUCT(HeldBackNodes, (), (nodes, after))
BOOST_DESCRIBE_STRUCT(PassFigures, (),
                      (untried_pods, left_out_pods, searches_in_time, at_maximum, at_minimum,
                       held_back, looked_at_nodes))

}  // namespace capstan::engine

namespace capstan::engine::pass {

BOOST_DESCRIBE_STRUCT(Outcome, (), (decision, memory, wake_at, figures))

}  // namespace capstan::engine::pass

namespace capstan::autoscaler::policies {

BOOST_DESCRIBE_STRUCT(ExpanderAnswer, (), (instance, seed, groups, kept, sentences, error))

}  // namespace capstan::autoscaler::policies

namespace capstan::autoscaler {

BOOST_DESCRIBE_STRUCT(PlannedGroupAnswer, (), (cloud, plan, group, error))

}  // namespace capstan::autoscaler

namespace capstan::plugin_runtime::loop {

BOOST_DESCRIBE_ENUM(Hook, create, start, stop, destroy, reconfigure, self_check, callback, blocking,
                    refresh, increase, decrease_target, remove, describe, price, options,
                    machine_types, new_group, create_group, destroy_group, filter, similar, bucket,
                    split, suggest, owns, reconcile)

}  // namespace capstan::plugin_runtime::loop

namespace capstan::plugin_runtime::instances {

BOOST_DESCRIBE_STRUCT(SkippedHook, (), (instance, hook, because))

}  // namespace capstan::plugin_runtime::instances

namespace capstan::autoscaler::record {

/// A plugin that took part in the pass.
struct PluginRecord {
    std::string id{};      ///< of the instance
    std::string plugin{};  ///< "capstan.random"
    std::string version{};
    std::string sha256{};  ///< of its file
    bool operator==(const PluginRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(PluginRecord, (), (id, plugin, version, sha256))

/// The setup of a host, which is the same for all its passes.
struct SetupRecord {
    std::string config{};         ///< the configuration as TOML
    std::string config_sha256{};  ///< of `config`
    std::vector<PluginRecord> plugins{};
};
BOOST_DESCRIBE_STRUCT(SetupRecord, (), (config, config_sha256, plugins))

struct PassRecord {
    int version = 0;     ///< of the format
    std::string host{};  ///< the version of the host
    SetupRecord setup{};
    engine::CallContext call_context{};
    std::vector<plugin_runtime::instances::SkippedHook> skipped_hooks{};
    std::vector<policies::ExpanderAnswer> expander_answers{};  ///< see PassResult
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
/// Errors are those of parse_versioned. A record whose configuration does not match its digest has
/// been changed, which is an error, too.
Result<PassRecord> parse_pass_record(std::string_view text, std::string_view name);

}  // namespace capstan::autoscaler::record
