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

namespace capstan::runtime::config {

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
    key("enabled", s.enabled, "Acts only while holding the Lease.");
    key("lease", s.lease, "Name of the Lease in [cluster] namespace.");
    key("lease_duration", s.lease_duration, "How long others wait for a silent leader.");
    key("renew_deadline", s.renew_deadline,
        "How long the leader tries to renew before it gives up.");
    key("retry_period", s.retry_period, "Time between two tries.");
}

struct Cluster {
    std::string name;
    std::string kubeconfig = "in-cluster";
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
        "The cluster's name in /api/v2/status and in the metric capstan_info; for people alone.");
    key("kubeconfig", s.kubeconfig,
        "\"in-cluster\" for the pod's service account, or the path of a kubeconfig. Empty: "
        "KUBECONFIG's, else ~/.kube/config.");
    key("context", s.context, "The kubeconfig's context to use; empty: its current one.");
    key("server", s.server,
        "The API server's URL in place of the kubeconfig's or the service account's. Empty: "
        "theirs.");
    key("kube_client_qps", s.kube_client_qps,
        "Requests a second to the API server on average; watches and the Lease do not count. Looks "
        "at nodes before they are removed have the same limit once more, for themselves.",
        {.min = 0.1, .max = 10000});
    key("kube_client_burst", s.kube_client_burst,
        "Requests that may be sent at once after a quiet time.", {.min = 1, .max = 10000});
    key("namespace", s.kube_namespace, "Where the Lease and the ConfigMaps live.");
    key("scan_interval", s.scan_interval,
        "Time from the start of one pass to the start of the next.");
    key("write_status_configmap", s.write_status_configmap,
        "Writes what upstream's status ConfigMap says.");
    key("status_config_map_name", s.status_config_map_name, "Name of the status ConfigMap.");
    key("memory_config_map_name", s.memory_config_map_name,
        "Name of the ConfigMap with what outlives a restart: back-offs, requests, removals.");
    key("dry_run", s.dry_run,
        "Decides and says what it would do, and does none of it: nothing is written to the API "
        "server, no cloud is asked for a change, and the Lease is left alone.");
    key("leader_election", s.leader_election, "Who acts, where several hosts run.");
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
    key("level", s.level, "Lines below this level are not written.");
    key("format", s.format, "text for people, json for machines: one object a line.");
    key("per_plugin", s.per_plugin,
        "Levels of single plugin instances, by name: { aws = \"debug\" }.");
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
        "HOST:PORT for metrics, health and status, HOST an IP address; no host: every one. Empty: "
        "none.");
    key("max_inactivity", s.max_inactivity, "Unhealthy when no pass has begun for this long.");
    key("max_failing_time", s.max_failing_time,
        "Unhealthy when no pass has succeeded for this long.");
    key("max_startup_time", s.max_startup_time, "The same before the first pass has succeeded.");
    key("tls_certificate_file", s.tls_certificate_file,
        "The PEM file of the certificate, with its chain, to serve HTTPS with. Empty: plain HTTP.");
    key("tls_key_file", s.tls_key_file, "The PEM file of the certificate's key.");
    key("bearer_token_file", s.bearer_token_file,
        "The file with the token that requests have to carry, but for health checks. Empty: "
        "anybody who can connect may ask.");
    key("max_connections", s.max_connections,
        "Connections that are open at once. A further one displaces the one with the least to "
        "lose, so that probes get through.",
        {.min = 8, .max = 10000});
    key("max_connections_per_peer", s.max_connections_per_peer,
        "Those of one IPv4 address or one IPv6 /64.", {.min = 4, .max = 10000});
    key("debugging_snapshot_enabled", s.debugging_snapshot_enabled,
        "Answers /snapshotz with all nodes and pods that the next pass sees, as upstream does.");
}

struct Trust {
    std::vector<std::string> search_paths;
    bool require_sha256 = false;
    bool drafts = false;
};
void describe(auto&& key, Trust& s) {
    key("search_paths", s.search_paths,
        "Absolute paths of the folders that may hold plugin files, searched in this order after "
        "the shipped ones.");
    key("require_sha256", s.require_sha256, "Refuses a plugin's `file` without its `sha256`.");
    key("drafts", s.drafts,
        "Serves kinds, interfaces and services of the SDK that are drafts: the next version of the "
        "host may have them in another shape, and refuse plugins that are built for this one.");
}

struct Secrets {
    std::string dir;
};
void describe(auto&& key, Secrets& s) {
    key("dir", s.dir,
        "The folder whose files are the secrets, such as a mounted Kubernetes Secret. Empty: "
        "none.");
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
        "A plugin's call that keeps its thread for so long is stuck: it is told, /readyz says so, "
        "and the plugin gets no other call until its thread is back.");
    key("hand_over_after", s.hand_over_after,
        "The leader hands the Lease over when a cloud, or a plugin that decides, has been stuck "
        "for so long, for another replica may do better.");
    key("loop_stuck_after", s.loop_stuck_after,
        "The process ends with exit code 4 when its event loop has not answered for so long, or "
        "for "
        "[cluster.leader_election] lease_duration where that is shorter.");
    key("busy_time", s.busy_time,
        "A decision hook that overran its deadline is abandoned. The process ends with exit code 4 "
        "when the thread of one has burnt a core for so long, by its own CPU clock.",
        {.min = std::chrono::seconds(1)});
    key("memory_max", s.memory_max,
        "The same when the process's resident memory reaches so many bytes while there is such a "
        "thread. Unset: 90 % of its cgroup's limit, where that has one.",
        {.min = 1});
    key("memory_growth_max", s.memory_growth_max,
        "The same when it has grown by so many bytes since the hook was abandoned.", {.min = 1});
}

struct Reload {
    bool watch = true;
};
void describe(auto&& key, Reload& s) {
    key("watch", s.watch,
        "Takes over changes of this file while running; SIGHUP does so in any case.");
}

}  // namespace capstan::runtime::config
