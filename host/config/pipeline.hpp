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

#include "config/document.hpp"
#include "config/section.hpp"

namespace capstan::config {

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
    /// Absent: `fail` for an expander that calls a service, `skip` for any other.
    std::optional<StageFailurePolicy> on_empty{};
};
void describe(auto&& key, Stage& s) {
    key("use", s.use, "Name of the expander.", {.instance_kind = "capstan.expander/1"});
    key("on_error", s.on_error,
        "If the stage fails or exceeds its deadline: skip continues with the options that the "
        "stage was given; fail ends the pass without a scale-up.");
    key("on_empty", s.on_empty,
        "If the stage keeps no option: skip continues with the options that the stage was given; "
        "fail ends the pass without a scale-up. Unset: fail for an expander that calls a service, "
        "such as grpc_expander, and skip for others.");
}
/// The name alone, if all other members have their defaults.
inline std::optional<std::string> short_text(const Stage& s) {
    const bool plain = s.on_error == StageFailurePolicy::skip && !s.on_empty;
    return plain ? std::optional(s.use.value()) : std::nullopt;
}

struct ScaleUpPipeline {
    std::vector<Stage> expanders{{PluginInstanceId("least_waste")}, {PluginInstanceId("random")}};
    std::vector<PluginInstanceId> similarity{PluginInstanceId("resources"),
                                             PluginInstanceId("labels")};
    PluginInstanceId splitter{"node_groups"};
    std::vector<PluginInstanceId> group_sources;
};
void describe(auto&& key, ScaleUpPipeline& s) {
    key("expanders", s.expanders,
        "Expanders, in order. Each chooses among the scale-up options that the one before it "
        "kept. If several are left in the end, the lowest price decides, then the lowest group "
        "id.",
        {.shorthand = "use"});
    key("similarity", s.similarity,
        "Checks that decide whether two groups are similar: all of them must agree. Empty: no "
        "groups are similar, and scale_up.balance_similar is off.",
        {.instance_kind = "capstan.similarity/1", .upstream = "[]"});
    key("splitter", s.splitter, "Plugin that divides new nodes among similar groups.",
        {.instance_kind = "capstan.splitter/1"});
    key("group_sources", s.group_sources,
        "Plugins that suggest groups to create (node auto-provisioning).",
        {.instance_kind = "capstan.group_source/1"});
}

struct Pipeline {
    std::vector<PluginInstanceId> clouds;
    std::vector<PluginInstanceId> controllers;
    ScaleUpPipeline scale_up;
};
void describe(auto&& key, Pipeline& s) {
    key("clouds", s.clouds,
        "Plugins that provide the node groups. If two of them list a group with the same id, the "
        "first one wins.",
        {.instance_kind = "capstan.cloud/1"});
    key("controllers", s.controllers,
        "Controllers that run independently of the passes, such as the Balancer.",
        {.instance_kind = "capstan.controller/1"});
    key("scale_up", s.scale_up, "Plugins that decide about new nodes.");
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
        "Names of hosts that it may send requests to. \"*.example.com\" matches all names "
        "below example.com.");
    key("secrets", s.secrets, "Names of secrets that it may read, from secrets.dir.");
    key("state", s.state, "Allow it to keep a small state that survives restarts.");
    key("cache", s.cache,
        "Allow it to keep files of at most 256 MiB in the folder of `run --state`. They may be "
        "lost.");
    key("kube", s.kube,
        "What it may do with objects of the cluster: \"RESOURCE.GROUP:VERB,VERB@NAMESPACE\", such "
        "as \"pods:list,watch\", \"deployments.apps:get,update/scale@shop\" or "
        "\"deployments.apps/scale:get,update\". The verbs are get, list, watch, create, update, "
        "patch and delete. Without a namespace: all namespaces. \"events:create\" lets it emit "
        "Events.");
    key("metrics", s.metrics,
        "Full names of metrics that it may declare, such as "
        "\"cluster_autoscaler_aws_request_duration_seconds\". Other metrics of the plugin get the "
        "prefix \"capstan_plugin_CLASS_\".");
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
        "PEM file with the certificate authorities that its requests trust. Unset: the system's.");
    key("cert_file", s.cert_file,
        "PEM file with the client certificate and its chain, for servers that require one.");
    key("key_file", s.key_file,
        "PEM file with the private key of cert_file, without a passphrase. Changed files are read "
        "again within ten seconds.");
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
        "Maximum duration of one call. Unset: depends on the kind of call.",
        {.min = std::chrono::milliseconds(1)});
    key("refresh_deadline", s.refresh_deadline,
        "Maximum duration of reading a cloud's groups and machines.",
        {.min = std::chrono::milliseconds(1)});
    key("max_inflight", s.max_inflight,
        "Maximum number of asynchronous calls at the same time. Further calls wait.", {.min = 1});
    key("blocking_threads", s.blocking_threads, "Maximum number of threads for blocking calls.",
        {.min = 1, .max = 64});
    key("max_series", s.max_series, "Maximum number of time series of its metrics.");
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
        "Path of the plugin's file: absolute, or below one of the folders in trust.search_paths. "
        "Unset: the shipped plugin with the name of `class` or, without it, of the table.");
    key("class", s.class_name, "Class to create, if the file has more than one.");
    key("sha256", s.sha256, "SHA-256 hash of the file. A file with another hash is refused.");
    key("grants", s.grants, "What the plugin may use.");
    key("tls", s.tls, "TLS of its HTTP requests: trusted authorities and client certificate.");
    key("limits", s.limits, "Limits for its calls, threads and metrics.");
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
    TomlValue settings{};  ///< not validated; an empty table if the file has none
    Place place{};         ///< of its name in the file, for errors about the instance
    Place file_place{};    ///< of `file`; equal to `place` if the file does not set it
};

}  // namespace capstan::config
