/// The sections of the configuration about the program itself. Each key's meaning, type and default
/// is defined here alone; see section.hpp.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/time.hpp>

namespace capstan::config {

/// Leader election among several hosts. The Lease has upstream's name, so that the two autoscalers
/// never act at once.
struct LeaderElection {
    bool enabled = true;
    std::string lease = "cluster-autoscaler";
    Duration lease_duration = std::chrono::seconds(15);
    Duration renew_deadline = std::chrono::seconds(10);
    Duration retry_period = std::chrono::seconds(2);
};
void describe(auto&& key, LeaderElection& s) {
    key("enabled", s.enabled, "Act only while holding the Lease.");
    key("lease", s.lease,
        "Name of the Lease, in cluster.namespace. The default is upstream's, so that the two "
        "autoscalers never act at the same time.");
    key("lease_duration", s.lease_duration,
        "How long other replicas wait for a leader that does not renew the Lease before one of "
        "them takes over.");
    key("renew_deadline", s.renew_deadline,
        "How long the leader tries to renew the Lease before it stops acting. Must be shorter "
        "than cluster.leader_election.lease_duration.");
    key("retry_period", s.retry_period,
        "Time between two attempts to acquire or renew the Lease. Replicas that wait add up to 1.2 "
        "times as much at random. 1.2 times this must be shorter than "
        "cluster.leader_election.renew_deadline.");
}

struct Cluster {
    std::string name;
    std::string kubeconfig;
    std::string context;
    std::string server;
    double kube_client_qps = 5;
    int kube_client_burst = 10;
    std::string kube_namespace = "kube-system";
    Duration scan_interval = std::chrono::seconds(10);
    bool write_status_configmap = true;
    std::string status_config_map_name = "cluster-autoscaler-status";
    std::string memory_config_map_name = "capstan-memory";
    bool dry_run = false;
    LeaderElection leader_election;
};
void describe(auto&& key, Cluster& s) {
    key("name", s.name,
        "Name of the cluster, shown in /api/v2/status and in the metric capstan_info.");
    key("kubeconfig", s.kubeconfig,
        "Path of a kubeconfig, or \"in-cluster\" for the pod's service account. Empty: the files "
        "in "
        "KUBECONFIG; if it is not set, the service account in a pod, ~/.kube/config elsewhere.");
    key("context", s.context, "Context in the kubeconfig. Empty: its current context.");
    key("server", s.server,
        "URL of the API server. Empty: the one of the kubeconfig or of the service account.");
    key("kube_client_qps", s.kube_client_qps,
        "Maximum average number of requests to the API server per second, not counting watches and "
        "requests for the Lease. Checks of nodes right before their removal have a separate limit "
        "of the same size.",
        {.min = 0.1, .max = 10000});
    key("kube_client_burst", s.kube_client_burst,
        "Number of requests that may be sent at once after an idle time.",
        {.min = 1, .max = 10000});
    key("namespace", s.kube_namespace, "Namespace of the Lease and of the ConfigMaps.");
    key("scan_interval", s.scan_interval,
        "Time from the start of one pass to the start of the next.");
    key("write_status_configmap", s.write_status_configmap,
        "Write the status ConfigMap, in upstream's format.");
    key("status_config_map_name", s.status_config_map_name, "Name of the status ConfigMap.");
    key("memory_config_map_name", s.memory_config_map_name,
        "Name of the ConfigMap with the data that must survive a restart: back-offs, requests, "
        "removals.");
    key("dry_run", s.dry_run,
        "Log decisions and do not carry them out: nothing is written to the API server or changed "
        "in a cloud, and the Lease is not acquired.");
    key("leader_election", s.leader_election, "Leader election between replicas.");
}

enum class LogLevel { trace, debug, info, warn, error };
constexpr auto names_of(LogLevel) {
    return std::array<std::string_view, 5>{"trace", "debug", "info", "warn", "error"};
}
enum class LogFormat { text, json };
constexpr auto names_of(LogFormat) { return std::array<std::string_view, 2>{"text", "json"}; }

struct Log {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::text;
    std::map<std::string, LogLevel> per_plugin;
};
void describe(auto&& key, Log& s) {
    key("level", s.level, "Lowest level of messages that are logged.");
    key("format", s.format, "text: lines for people. json: one object per line.");
    key("per_plugin", s.per_plugin,
        "Log levels of single plugin instances, by name, such as { aws = \"debug\" }.");
}

struct Admin {
    std::string listen = ":8085";
    Duration max_inactivity = std::chrono::minutes(10);
    Duration max_failing_time = std::chrono::minutes(15);
    Duration max_startup_time = std::chrono::minutes(20);
    std::string tls_certificate_file;
    std::string tls_key_file;
    std::string bearer_token_file;
    int max_connections = 128;
    int max_connections_per_peer = 32;
    bool debugging_snapshot_enabled = false;
};
void describe(auto&& key, Admin& s) {
    key("listen", s.listen,
        "HOST:PORT to listen on, where HOST is an IP address. Without HOST: all addresses. Empty: "
        "no admin port.");
    key("max_inactivity", s.max_inactivity,
        "The daemon is unhealthy if no pass has started for this long: /livez and /health-check "
        "fail.");
    key("max_failing_time", s.max_failing_time,
        "The daemon is unhealthy if no pass has succeeded for this long: /health-check fails.");
    key("max_startup_time", s.max_startup_time,
        "The daemon is unhealthy if no pass has succeeded within this time after the start: "
        "/health-check fails. If admin.max_inactivity or admin.max_failing_time is longer, that "
        "time applies.");
    key("tls_certificate_file", s.tls_certificate_file,
        "PEM file with the certificate and its chain, to serve HTTPS. Empty: plain HTTP.");
    key("tls_key_file", s.tls_key_file,
        "PEM file with the private key of admin.tls_certificate_file.");
    key("bearer_token_file", s.bearer_token_file,
        "File with the token that requests must carry, except health checks. Empty: no "
        "authentication.");
    key("max_connections", s.max_connections,
        "Maximum number of open connections. If it is reached, the least active connection is "
        "closed for a new one, so that probes get through.",
        {.min = 8, .max = 10000});
    key("max_connections_per_peer", s.max_connections_per_peer,
        "Maximum number of open connections of one IPv4 address or one IPv6 /64 network.",
        {.min = 4, .max = 10000});
    key("debugging_snapshot_enabled", s.debugging_snapshot_enabled,
        "Serve /snapshotz, with all nodes and pods of the next pass, as upstream does.");
}

struct Trust {
    std::vector<std::string> search_paths;
    bool require_sha256 = false;
    bool drafts = false;
};
void describe(auto&& key, Trust& s) {
    key("search_paths", s.search_paths,
        "Absolute paths of folders from which plugin files may be loaded, in this order after the "
        "shipped plugins.");
    key("require_sha256", s.require_sha256, "Refuse a plugin's `file` without its `sha256`.");
    key("drafts", s.drafts,
        "Enable draft kinds, interfaces and services of the SDK. The next version may change "
        "them, and then refuses plugins built for this version.");
}

struct Secrets {
    std::string dir;
};
void describe(auto&& key, Secrets& s) {
    key("dir", s.dir,
        "Folder with one file for each secret, such as a mounted Kubernetes Secret. Empty: no "
        "secrets.");
}

/// What happens when threads do not return from a plugin.
struct Watchdog {
    Duration stuck_after = std::chrono::seconds(5);
    Duration hand_over_after = std::chrono::minutes(1);
    Duration loop_stuck_after = std::chrono::seconds(10);
    Duration busy_time = std::chrono::minutes(3);
    std::optional<Quantity> memory_max;
    Quantity memory_growth_max = Quantity::units(1 << 30, Quantity::Format::binary);
};
void describe(auto&& key, Watchdog& s) {
    key("stuck_after", s.stuck_after,
        "A plugin call that blocks its thread for this long is stuck: it is reported in the log "
        "and in /readyz, and the plugin gets no other call until it returns.");
    key("hand_over_after", s.hand_over_after,
        "The leader releases the Lease if a cloud, or a plugin that takes part in decisions, has "
        "been stuck for this long, so that another replica can take over.");
    key("loop_stuck_after", s.loop_stuck_after,
        "Exit with code 4 if the event loop has not responded for this long, or for "
        "cluster.leader_election.lease_duration if that is shorter.");
    key("busy_time", s.busy_time,
        "Exit with code 4 if a decision call that exceeded its deadline has not returned and has "
        "kept a core busy for this long.",
        {.min = std::chrono::seconds(1)});
    key("memory_max", s.memory_max,
        "Exit with code 4 if a decision call that exceeded its deadline has not returned and the "
        "process has this many bytes of resident memory. Unset: 90 % of the cgroup's memory "
        "limit, if it has one.",
        {.min = 1});
    key("memory_growth_max", s.memory_growth_max,
        "Exit with code 4 if a decision call that exceeded its deadline has not returned and the "
        "resident memory has grown by this many bytes since the deadline.",
        {.min = 1});
}

struct Reload {
    bool watch = true;
};
void describe(auto&& key, Reload& s) {
    key("watch", s.watch, "Reload this file when it changes. SIGHUP reloads it in any case.");
}

}  // namespace capstan::config
