/// The scenario of most tests: a small cluster with short delays.
#pragma once

namespace capstan::e2e {

/// A group "web", whose machines have room for two pods of the Deployment "web" each. The
/// Deployment has one pod at the start.
constexpr auto live_shop = R"(
title = "a shop"
scan_interval = "500ms"
register_delay = "0s"
ready_delay = "500ms"
[pipeline.scale_up]
expanders = ["least_waste"]
similarity = []
[scale_down]
delay_after_add = "1s"
delay_after_failure = "1s"
unneeded_time = "2s"
node_delete_delay_after_taint = "500ms"
eviction_retry = "1s"
[[group]]
id = "web"
max = 8
boot = "1s"
machine = { cpu = "4", memory = "16Gi" }
[[node]]
name = "control-plane"
cpu = "4"
memory = "16Gi"
taints = ["node-role.kubernetes.io/control-plane:NoSchedule"]
[[daemon_set]]
name = "kube-proxy"
namespace = "kube-system"
cpu = "100m"
tolerations = [{ key = "" }]
[[replica_set]]
name = "web"
count = 1
cpu = "1500m"
start_up = "500ms"
grace = "5s"
)";

}  // namespace capstan::e2e
