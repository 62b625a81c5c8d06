/// [pipeline] and [plugin.ID]: the plugins and where they are used. Each key's meaning, type and
/// default is defined here alone; see section.hpp.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "runtime/config/document.hpp"
#include "runtime/config/section.hpp"

namespace capstan::runtime::config {

/// The effect of a stage's failure: after `skip` the chain goes on with the options that the stage
/// was given, `fail` ends the pass without a scale-up.
enum class StageFailurePolicy { skip, fail };
constexpr auto names_of(StageFailurePolicy) {
    return std::array<std::string_view, 2>{"skip", "fail"};
}

/// One stage of the expander chain. In the file a name or a table: `"random"`, `{ use = "score",
/// on_error = "fail" }`.
struct Stage {
    PluginInstanceId use;
    StageFailurePolicy on_error = StageFailurePolicy::skip;
    /// Unset: `fail` for an expander that asks a service, `skip` for any other.
    std::optional<StageFailurePolicy> on_empty{};
};
void describe(auto&& key, Stage& s) {
    key("use", s.use, "The expander.", {.instance_kind = "capstan.expander/1"});
    key("on_error", s.on_error,
        "When the stage fails or overruns its deadline: skip goes on as if it were not there, fail "
        "ends the pass without a scale-up.");
    key("on_empty", s.on_empty,
        "When the stage keeps no option: skip goes on as if it were not there, fail ends the pass "
        "without a scale-up. Unset: fail for an expander that asks a service, such as "
        "grpc_expander, and skip for any other.");
}
/// The name alone, where all other members have their defaults.
inline std::optional<std::string> short_text(const Stage& s) {
    const bool plain = s.on_error == StageFailurePolicy::skip && !s.on_empty;
    return plain ? std::optional(s.use.value()) : std::nullopt;
}

struct ScaleUpPipeline {
    std::vector<Stage> expanders{{PluginInstanceId("least_waste")}, {PluginInstanceId("random")}};
    /// The default of a file without the section; balancing.hpp has the rule for a file with it.
    std::vector<PluginInstanceId> similarity{PluginInstanceId("resources"),
                                             PluginInstanceId("labels")};
    PluginInstanceId splitter{"node_groups"};
    std::vector<PluginInstanceId> group_sources;
};
void describe(auto&& key, ScaleUpPipeline& s) {
    key("expanders", s.expanders,
        "Each stage narrows the options the one before left. What is still tied after the last "
        "goes to the lowest group id.",
        {.shorthand = "use"});
    key("similarity", s.similarity,
        "Groups count as similar, and are kept even, when every check agrees. Empty, or not named "
        "in "
        "a [pipeline.scale_up] that is there: no two groups are similar.",
        {.instance_kind = "capstan.similarity/1", .upstream = "[]"});
    key("splitter", s.splitter, "Shares new nodes out among similar groups.",
        {.instance_kind = "capstan.splitter/1"});
    key("group_sources", s.group_sources, "Node groups that could exist: auto-provisioning.",
        {.instance_kind = "capstan.group_source/1"});
}

struct Pipeline {
    std::vector<PluginInstanceId> clouds;
    std::vector<PluginInstanceId> controllers;
    ScaleUpPipeline scale_up;
};
void describe(auto&& key, Pipeline& s) {
    key("clouds", s.clouds,
        "Where node groups come from. Where two list a group of one id, that of the first counts.",
        {.instance_kind = "capstan.cloud/1"});
    key("controllers", s.controllers, "Reconcilers that run beside the passes.",
        {.instance_kind = "capstan.controller/1"});
    key("scale_up", s.scale_up, "Who decides about new nodes.");
}

/// The parts of the host that an instance may use. Grants prevent mistakes and not attacks, because
/// code in the same process can do anything.
struct Grants {
    std::vector<std::string> http;
    std::vector<std::string> secrets;
    bool state = false;
    std::vector<std::string> kube{};
    std::vector<std::string> metrics{};
    bool cache = false;
};
void describe(auto&& key, Grants& s) {
    key("http", s.http,
        "Host names it may send requests to; \"*.example.com\" stands for every name below.");
    key("secrets", s.secrets, "Names of the secrets it may read.");
    key("state", s.state, "May keep a little state that outlives a restart.");
    key("cache", s.cache,
        "May keep files of at most 256 MiB beside the state, in the folder of `run --state`; they "
        "may be lost.");
    key("kube", s.kube,
        "What it may do with the cluster's objects: \"RESOURCE.GROUP:VERB,VERB@NAMESPACE\", as in "
        "\"pods:list,watch\", \"deployments.apps:get,update/scale@shop\", "
        "\"deployments.apps/scale:get,update\". Verbs are get, list, watch, create, update, patch "
        "and delete; without a namespace it holds in all. \"events:create\" lets it tell users of "
        "things.");
    key("metrics", s.metrics,
        "Whole names of metrics that it may declare, as in "
        "\"cluster_autoscaler_aws_request_duration_seconds\"; of all others the names begin with "
        "\"capstan_plugin_CLASS_\".");
}

/// PEM files; empty: none.
struct PluginTls {
    std::string ca_file{};
    std::string cert_file{};
    std::string key_file{};

    bool is_set() const { return !(ca_file + cert_file + key_file).empty(); }
    bool operator==(const PluginTls&) const = default;
};
void describe(auto&& key, PluginTls& s) {
    key("ca_file", s.ca_file,
        "Certificate authorities, as PEM, that its requests trust instead of the system's. Unset: "
        "the system's.");
    key("cert_file", s.cert_file,
        "The client certificate that its requests show where a server asks for one, as PEM with "
        "its chain.");
    key("key_file", s.key_file,
        "The private key of cert_file, as PEM without a passphrase. Renewed files count within ten "
        "seconds.");
}

struct PluginLimits {
    std::optional<Duration> call_deadline;
    Duration refresh_deadline = std::chrono::minutes(2);
    int max_inflight = 16;
    int blocking_threads = 2;
    int max_series = 500;
};
void describe(auto&& key, PluginLimits& s) {
    key("call_deadline", s.call_deadline,
        "Longest time one call may take, after which the instance is overdue. Unset: what suits "
        "the kind of call.",
        {.min = std::chrono::milliseconds(1)});
    key("refresh_deadline", s.refresh_deadline,
        "The same for reading a cloud's groups and machines.",
        {.min = std::chrono::milliseconds(1)});
    key("max_inflight", s.max_inflight, "Most asynchronous calls at once; further ones wait.",
        {.min = 1});
    key("blocking_threads", s.blocking_threads, "Threads it may block.", {.min = 1, .max = 64});
    key("max_series", s.max_series, "Most series its metrics may have.");
}

/// A [plugin.ID] table without its settings.
struct PluginTable {
    std::optional<std::string> file;
    std::optional<std::string> class_name;
    std::optional<std::string> sha256;
    Grants grants;
    PluginTls tls;
    PluginLimits limits;
};
void describe(auto&& key, PluginTable& s) {
    key("file", s.file,
        "The plugin's file: an absolute path, or one below [trust] search_paths. Unset: the "
        "shipped plugin named by `class`, or else by the table.");
    key("class", s.class_name, "Which of the file's classes, where it has several.");
    key("sha256", s.sha256, "The file is refused unless its content has this hash.");
    key("grants", s.grants, "What it may use of the host.");
    key("tls", s.tls, "Whom its HTTP requests trust, and what they prove themselves with.");
    key("limits", s.limits, "What it may cost.");
}

/// An instance to make: a [plugin.ID] table, or a shipped plugin that only a pipeline names.
struct PluginConfig {
    PluginInstanceId id;
    bool declared = true;      ///< has a table of its own
    bool shipped = false;      ///< `file` was found among the shipped plugins
    std::string file{};        ///< for find_plugin; absolute when shipped; empty after an error
    std::string class_name{};  ///< empty: the only class of the file
    std::optional<std::string> sha256{};
    Grants grants{};
    PluginTls tls{};
    PluginLimits limits{};
    TomlValue settings{};  ///< not validated; an empty table where the file has none
    Place place{};         ///< of its name in the file, for errors about the instance
    Place file_place{};    ///< of `file`; `place` where the file does not set it
};

}  // namespace capstan::runtime::config
