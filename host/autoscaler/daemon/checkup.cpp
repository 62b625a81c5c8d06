#include "autoscaler/daemon/checkup.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

#include "autoscaler/clouds.hpp"
#include "autoscaler/daemon/cluster_link.hpp"
#include "autoscaler/daemon/memory_keeper.hpp"
#include "autoscaler/daemon/on_loop.hpp"
#include "config/kube_grant.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/unrecognized_nodes.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/cache/object_cache.hpp"
#include "kubernetes/client/writes/config_maps.hpp"
#include "kubernetes/objects/list_decoder.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::AccessAnswer;

/// The API group of the custom resource that we ship.
constexpr std::string_view balancer_group = "balancer.x-k8s.io";
constexpr Duration skew_max = std::chrono::seconds(5);
constexpr Duration self_check_timeout = std::chrono::seconds(30);

/// [passes' thread], but for what it asks on the loop's.
class Examination {
public:
    Examination(const config::Config& config, PluginHost& host, std::string version,
                io::HttpClient* http)
        : config_(config), host_(host), version_(std::move(version)), http_(http) {}

    std::vector<Finding> run() {
        const bool is_open = open();
        const bool answers = is_open && ask_version();
        if (answers) review_rights();
        if (answers) check_kinds();
        check_plugins();
        check_clouds();
        if (answers) check_departed();
        if (answers && !config_.pipeline.clouds.empty()) {
            check_drainers();
            check_provider_ids();
        }
        if (is_open) close();
        return std::move(findings_);
    }

private:
    void good(std::string what, std::string found) {
        findings_.push_back({Verdict::good, std::move(what), std::move(found), {}});
    }
    void add(Verdict verdict, std::string what, std::string found, std::string fix) {
        findings_.push_back({verdict, std::move(what), std::move(found), std::move(fix)});
    }

    bool open() {
        auto link = on_loop(host_, [this]() -> Result<std::shared_ptr<ClusterLink>> {
            CAPSTAN_TRY(auto opened,
                        ClusterLink::open(config_.cluster, host_.loop(), host_.log(),
                                          {.version = version_, .dry_run = true, .http = http_}));
            // Clouds may look at the cluster, too; like the rest of this they change nothing.
            if (host_.cluster() != nullptr) host_.cluster()->connect(opened->api());
            return std::shared_ptr<ClusterLink>(std::move(opened));
        });
        if (link) {
            link_ = *std::move(link);
            good("credentials", "found for " + link_->server());
            return true;
        }
        add(Verdict::missing, "credentials", link.error().message,
            "use --kubeconfig and --context, or correct cluster.kubeconfig, cluster.context and "
            "cluster.server");
        return false;
    }

    void close() {
        // A link that does not end has nothing to say to an examination.
        std::ignore =
            on_loop(host_, [plugins = host_.cluster(), link = std::move(link_)]() mutable {
                if (plugins != nullptr) plugins->disconnect();
                link.reset();
                return Result<void>();
            });
    }

    bool ask_version() {
        const auto reply = from_loop<kubernetes::client::ApiReply>(
            host_, [link = link_](const PluginHost::Done<kubernetes::client::ApiReply>& done) {
                link->api().send({.path = "/version", .purpose = "doctor"}, done);
            });
        if (!reply) {
            add(Verdict::missing, "API server", reply.error().message,
                reply.error().code == ErrorCode::unauthenticated
                    ? "renew the credentials: the server rejects them"
                    : "check the address, the network and the certificate authority");
            return false;
        }
        const auto body = kubernetes::client::parse_object(*reply);
        good("API server",
             body ? "Kubernetes " + std::string(kubernetes::base::text_at(*body, "gitVersion"))
                  : "responds");
        compare_clocks(*reply);
        return true;
    }

    void compare_clocks(const kubernetes::client::ApiReply& reply) {
        const auto date = std::ranges::find(reply.headers, std::string("date"),
                                            [](const auto& header) { return header.first; });
        const Result<Time> server_time = date == reply.headers.end()
                                             ? Result<Time>(fail(ErrorCode::not_found, "no date"))
                                             : parse_http_date(date->second);
        if (!server_time)
            return add(Verdict::warning, "clock", "the API server's response has no date",
                       "compare the clock of this machine with another one");
        // The header has whole seconds.
        const Duration skew =
            std::max(Duration(0), std::chrono::abs(host_.loop().clock()->wall() - *server_time) -
                                      std::chrono::seconds(1));
        const std::string text = format_rough_duration(skew);
        if (skew <= skew_max) return good("clock", "agrees with the API server");
        add(Verdict::warning, "clock", "differs from the API server's by " + text,
            "synchronize the clocks: decisions depend on the ages of pods and nodes");
    }

    void review_rights() {
        const std::vector<NeededRule> needed = needed_rules(config_);
        std::vector<kubernetes::client::AccessRule> rules, others;
        for (const NeededRule& its : needed) {
            rules.push_back(its.rule);
            if (its.instead) others.push_back(*its.instead);
        }
        rules.insert(rules.end(), others.begin(), others.end());
        const auto answers = from_loop<std::vector<AccessAnswer>>(
            host_, [this, link = link_, rules = std::move(rules)](
                       const PluginHost::Done<std::vector<AccessAnswer>>& done) {
                auto reviews =
                    std::make_shared<kubernetes::client::AccessReviews>(link->api(), host_.loop());
                reviews->review(rules, [reviews, done](std::vector<AccessAnswer> all) {
                    done(std::move(all));
                });
            });
        if (!answers)
            return add(Verdict::missing, "rights", answers.error().message,
                       "allow it to create selfsubjectaccessreviews, which every "
                       "identity usually may");
        judge(needed, *answers);
    }

    /// `answers`: one for each of `needed`, in their order, then for what does instead.
    void judge(const std::vector<NeededRule>& needed, const std::vector<AccessAnswer>& answers) {
        std::int64_t allowed = 0;
        auto instead = answers.begin() + static_cast<std::ptrdiff_t>(needed.size());
        for (std::size_t i = 0; i < needed.size(); ++i) {
            const bool does_otherwise = needed[i].instead && (instead++)->is_allowed;
            if (answers[i].is_allowed || does_otherwise) {
                ++allowed;
            } else {
                add_missing(answers[i], needed[i].purpose);
            }
        }
        if (allowed > 0) good("rights", counted(allowed, "rule") + " granted");
    }

    void add_missing(const AccessAnswer& answer, const std::string& purpose) {
        const std::string what = "right to " + to_string(answer.rule);
        // What could not be asked may be granted all the same.
        if (answer.error)
            return add(Verdict::missing, what, answer.error->message,
                       "fix the cause and run the check again");
        add(Verdict::missing, what,
            (answer.reason.empty() ? "not granted" : answer.reason) + "; needed to " + purpose,
            "add it to the role of the service account");
    }

    /// Kinds of other API groups that plugins were granted: as long as a definition is not there,
    /// what the plugin follows never comes.
    void check_kinds() {
        std::map<std::string, std::pair<std::string, std::string>> needed;
        for (const config::PluginConfig& plugin : config_.plugins)
            for (const config::KubeGrant& grant : config::read_kube_grants(plugin.grants.kube))
                if (!grant.group.empty())
                    needed.try_emplace(grant.group, grant.plural, plugin.id.value());
        for (const auto& [group, need] : needed) {
            const auto reply = from_loop<kubernetes::client::ApiReply>(
                host_, [link = link_, path = "/apis/" + group](
                           const PluginHost::Done<kubernetes::client::ApiReply>& done) {
                    link->api().send({.path = path, .purpose = "doctor"}, done);
                });
            if (reply || reply.error().code != ErrorCode::not_found) continue;
            const auto& [plural, plugin] = need;
            add(Verdict::missing, "kind " + plural + "." + group,
                "not served by the API server; plugin " + plugin + " needs it",
                group == balancer_group ? "run `capstan crd install`"
                                        : "install its CustomResourceDefinition");
        }
    }

    void check_plugins() {
        for (const auto& instance : host_.instances()) {
            const auto checked = host_.wait<void>(
                [&](plugin_runtime::instances::PluginInstance::Done done) {
                    instance->self_check(self_check_timeout, std::move(done));
                },
                self_check_timeout * 2);
            if (checked) {
                good("plugin " + instance->id(), "self-check passed");
            } else {
                add(Verdict::missing, "plugin " + instance->id(), checked.error().message,
                    "check its grants, credentials and settings");
            }
        }
    }

    void check_clouds() {
        if (config_.pipeline.clouds.empty() && !config_.pipeline.controllers.empty())
            return good("clouds", "none configured; only controllers run");
        if (config_.pipeline.clouds.empty())
            return add(Verdict::missing, "clouds", "none configured", "add one to pipeline.clouds");
        const auto clouds = Clouds::make(config_.pipeline, host_);
        if (!clouds)
            return add(Verdict::missing, "clouds", clouds.error().message,
                       "correct pipeline.clouds");
        const CloudsView view = (*clouds)->refresh_now(host_);
        for (const Error& problem : view.problems)
            add(Verdict::missing, "clouds", problem.message,
                "check the cloud's credentials, permissions and settings");
        const auto groups = static_cast<std::int64_t>(view.groups->size());
        view_ = view;
        if (groups > 0) return good("node groups", counted(groups, "group") + " found");
        add(Verdict::warning, "node groups", "0 groups found",
            "check the names or tags by which the cloud plugin finds groups");
    }

    /// Finds groups of the daemon's memory that no cloud lists any more. Missing rights have been
    /// reported by another check.
    void check_departed() {
        const kubernetes::client::ConfigMapName name{config_.cluster.kube_namespace,
                                                     config_.cluster.memory_config_map_name};
        const auto content = from_loop<MemoryMaps::Content>(
            host_, [this, link = link_, name](const PluginHost::Done<MemoryMaps::Content>& done) {
                auto maps = std::make_shared<MemoryMaps>(link->api(), host_.loop(), name, 0);
                maps->read(
                    [maps, done](Result<MemoryMaps::Content> read) { done(std::move(read)); });
            });
        if (!content) return;
        const Result<engine::Memory> memory = find_memory(*content, name);
        if (!memory)
            return add(Verdict::warning, "memory", memory.error().message,
                       "none is needed: the daemon keeps a copy and starts with an empty memory");
        const auto groups = engine::health::with_unread_groups(view_.groups, view_.unread, *memory);
        for (const std::string& sentence :
             engine::health::describe_departed_groups(*memory, *groups))
            add(Verdict::warning, "node groups", sentence,
                "restore the group, or remove its nodes manually");
    }

    /// Which program drains nodes whose machines are about to leave. Two of them would evict pods
    /// by different rules.
    void check_drainers() {
        const std::string other = find_other_drainer();
        const bool is_ours = config_.scale_down.drain_leaving_nodes;
        const std::string what = "leaving nodes";
        if (is_ours && other.empty()) return good(what, "Capstan taints and drains them");
        if (is_ours)
            return add(Verdict::warning, what, "both Capstan and " + other + " drain them",
                       "set scale_down.drain_leaving_nodes = false, or remove " + other);
        if (!other.empty()) return good(what, other + " drains them");
        add(Verdict::warning, what,
            "scale_down.drain_leaving_nodes is false and aws-node-termination-handler was not "
            "found",
            "set it to true, unless another program drains them");
    }

    /// "DaemonSet kube-system/aws-node-termination-handler"; empty: there is none, or this identity
    /// may not list such objects.
    std::string find_other_drainer() {
        std::string found = find_handler("DaemonSet", "daemonsets");
        return found.empty() ? find_handler("Deployment", "deployments") : found;
    }
    std::string find_handler(const std::string& kind, const std::string& plural) {
        const std::string name = "aws-node-termination-handler";
        const std::string path =
            "/apis/apps/v1/" + plural + "?fieldSelector=metadata.name%3D" + name;
        const auto reply = ask({.path = path, .purpose = "doctor"});
        if (!reply) return {};
        const auto list = kubernetes::client::parse_object(*reply);
        if (!list) return {};
        using kubernetes::base::text_at;
        for (const boost::json::value& item : kubernetes::base::list_at(*list, "items")) {
            if (text_at(item, "metadata.name") == name)
                return kind + " " + std::string(text_at(item, "metadata.namespace")) + "/" + name;
        }
        return {};
    }

    /// Finds machines that seem to have no node although the node is there. Missing rights have
    /// been reported by another check.
    void check_provider_ids() {
        const auto nodes = list_nodes();
        if (!nodes)
            return add(Verdict::warning, "nodes", nodes.error().message, "allow it to list nodes");
        const engine::Snapshot snapshot{.cluster = *nodes, .groups = view_.groups};
        for (const std::string& sentence :
             engine::health::describe_unrecognized(snapshot, host_.loop().clock()->wall()))
            add(Verdict::warning, "nodes", sentence,
                "correct the providerIDs: check the cloud controller manager and the kubelets");
    }

    /// Page by page, since a reply has a limit.
    Result<engine::snapshot::Cluster> list_nodes() {
        engine::snapshot::ClusterBuilder nodes;
        kubernetes::client::ApiRequest request{.path = "/api/v1/nodes", .purpose = "doctor"};
        for (std::string next;;) {
            request.query = {{"limit", "200"}};
            if (!next.empty()) request.query.emplace_back("continue", next);
            CAPSTAN_TRY(const kubernetes::client::ApiReply reply, ask(request));
            kubernetes::objects::ListDecoder decoder(nodes);
            CAPSTAN_CHECK(decoder.feed(reply.body));
            decoder.finish();
            CAPSTAN_TRY(const auto body, kubernetes::client::parse_object(reply));
            next = kubernetes::base::text_at(body, "metadata.continue");
            if (next.empty()) return nodes.build();
        }
    }

    Result<kubernetes::client::ApiReply> ask(kubernetes::client::ApiRequest request) {
        using Reply = kubernetes::client::ApiReply;
        return from_loop<Reply>(
            host_, [link = link_, request = std::move(request)](
                       const PluginHost::Done<Reply>& done) { link->api().send(request, done); });
    }

    const config::Config& config_;
    PluginHost& host_;
    const std::string version_;
    io::HttpClient* const http_;
    std::shared_ptr<ClusterLink> link_{};
    CloudsView view_{};
    std::vector<Finding> findings_{};
};

}  // namespace

std::vector<Finding> examine(const config::Config& config, PluginHost& host,
                             const std::string& version, io::HttpClient* http) {
    return Examination(config, host, version, http).run();
}

namespace {

using kubernetes::client::AccessRule;

/// Grows by what several parts of the daemon need; a rule that two of them name has both purposes.
class Needs {
public:
    void add(AccessRule rule, const std::string& purpose) {
        const auto known = std::ranges::find(rules_, rule, &NeededRule::rule);
        if (known == rules_.end()) {
            rules_.push_back({.rule = std::move(rule), .purpose = purpose});
        } else if (known->purpose != purpose) {
            known->purpose += ", and to " + purpose;
        }
    }
    void add(std::initializer_list<std::string_view> verbs, const AccessRule& like,
             const std::string& purpose) {
        for (const std::string_view verb : verbs) {
            AccessRule rule = like;
            rule.verb = verb;
            // A name does not exist yet when it is made, so no rule can name it.
            if (verb == "create") rule.name.clear();
            add(std::move(rule), purpose);
        }
    }
    NeededRule& last() { return rules_.back(); }
    std::vector<NeededRule> take() { return std::move(rules_); }

private:
    std::vector<NeededRule> rules_{};
};

void add_of_config_maps(Needs& needs, const config::Cluster& config) {
    const AccessRule memory{.resource = "configmaps",
                            .ns = config.kube_namespace,
                            .name = config.memory_config_map_name};
    const std::string purpose = "keep back-offs, requests and removals over a restart";
    needs.add({"create", "get", "update"}, memory, purpose);
    for (int part = 1; part <= MemoryMaps::parts_max; ++part) {
        AccessRule of_part = memory;
        of_part.name = MemoryMaps::name_of_part(memory.name, part);
        needs.add({"get", "update", "delete"}, of_part, purpose);
    }
    if (!config.write_status_configmap) return;
    const AccessRule status{.resource = "configmaps",
                            .ns = config.kube_namespace,
                            .name = config.status_config_map_name};
    needs.add({"create", "get", "update"}, status, "write the status ConfigMap");
    needs.add({"delete"}, status, "delete the status ConfigMap on shutdown");
}

void add_of_passes(Needs& needs, const config::Cluster& config) {
    for (const kubernetes::client::CachedKind& kind : kubernetes::client::cached_kinds()) {
        needs.add({"list", "watch"},
                  {.group = std::string(kind.resource.group),
                   .resource = std::string(kind.resource.plural)},
                  std::string(kind.purpose));
    }
    const AccessRule nodes{.resource = "nodes"};
    needs.add({"get"}, nodes, "read a node before changing it");
    needs.add({"patch"}, nodes, "taint and cordon nodes before removal");
    needs.last().instead = AccessRule{.verb = "update", .resource = "nodes"};
    needs.add({"create"}, {.resource = "pods", .subresource = "eviction"},
              "evict pods from nodes before removal");
    add_of_config_maps(needs, config);
}

void add_of_plugin(Needs& needs, const config::PluginConfig& plugin) {
    const std::string purpose = "serve plugin " + plugin.id.value() + " (its grants.kube)";
    for (const config::KubeGrant& grant : config::read_kube_grants(plugin.grants.kube)) {
        // An empty namespace stands for all of them.
        std::set<std::string> spaces = grant.namespaces;
        if (spaces.empty()) spaces.insert("");
        for (const std::string& ns : spaces)
            for (const config::KubeGrant::Allowed& allowed : grant.allowed)
                needs.add({.verb = allowed.verb,
                           .group = grant.group,
                           .resource = grant.plural,
                           .subresource = allowed.subresource,
                           .ns = ns},
                          purpose);
    }
}

}  // namespace

std::vector<NeededRule> needed_rules(const config::Config& config) {
    Needs needs;
    const config::Cluster& cluster = config.cluster;
    if (!config.pipeline.clouds.empty()) add_of_passes(needs, cluster);
    needs.add({"create", "patch"}, {.resource = "events"}, "record Events");
    if (cluster.leader_election.enabled) {
        needs.add({"create", "get", "update"},
                  {.group = "coordination.k8s.io",
                   .resource = "leases",
                   .ns = cluster.kube_namespace,
                   .name = cluster.leader_election.lease},
                  "elect a leader");
    }
    for (const config::PluginConfig& plugin : config.plugins) add_of_plugin(needs, plugin);
    return needs.take();
}

}  // namespace capstan::autoscaler::daemon
