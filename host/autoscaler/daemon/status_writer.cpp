#include "autoscaler/daemon/status_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/pass_metrics/families.hpp"
#include "engine/health/backoff.hpp"
#include "io/known_secrets.hpp"
#include "io/printable.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::daemon {
namespace {

/// By group id; the empty id is for nodes without a group.
std::map<std::string, int> count_candidates(const PassReport& pass) {
    std::map<std::string, int> out;
    for (const engine::NodeVerdict& verdict : pass.decision().nodes)
        if (pass.memory.unneeded.contains(verdict.node)) ++out[verdict.group.value()];
    return out;
}

std::string health_word(const std::string& unhealthy_because) {
    return unhealthy_because.empty() ? "Healthy" : "Unhealthy";
}

std::string candidates_word(int candidates) {
    return candidates > 0 ? "CandidatesPresent" : "NoCandidates";
}

}  // namespace

StatusCondition StatusMaker::condition(const std::string& of, std::string status, Time now) {
    const auto before = before_.find(of);
    const bool is_same = before != before_.end() && before->second.status == status;
    return now_[of] = {std::move(status), is_same ? before->second.transition : now};
}

GroupStatus StatusMaker::group_status(const PassReport& pass, const engine::Group& group,
                                      const engine::health::GroupHealth& health, int candidates) {
    const std::string& id = group.group.id.value();
    GroupStatus out{.name = id,
                    .part = {.nodes = health.nodes,
                             .unjoined = health.unjoined,
                             .long_unjoined = health.long_unjoined,
                             .candidates = candidates},
                    .target = group.group.target.value_or(0),
                    .min = group.group.min.value_or(0),
                    .max = group.group.max.value_or(0)};
    const engine::Backoff* const backoff =
        engine::health::find_backoff(pass.memory, group, pass.at);
    std::string growth = "NoActivity";
    if (pass.memory.requests.contains(group.group.id)) {
        growth = "InProgress";
    } else if (!health.unhealthy_because.empty()) {
        growth = "Unhealthy";
    } else if (backoff != nullptr) {
        growth = "Backoff";
        out.backoff = {pass_metrics::failure_reason(backoff->code), backoff->because};
    }
    out.part.health =
        condition(id + "/health", health_word(health.unhealthy_because), pass.wall_at());
    out.part.scale_up = condition(id + "/scaleUp", growth, pass.wall_at());
    out.part.scale_down = condition(id + "/scaleDown", candidates_word(candidates), pass.wall_at());
    return out;
}

ClusterStatus StatusMaker::make(const PassReport& pass, const engine::health::Health& health) {
    const engine::Snapshot& snapshot = pass.input.snapshot;
    std::map<std::string, int> candidates = count_candidates(pass);
    ClusterStatus out{
        .at = pass.wall_at(), .cluster = {.nodes = health.all}, .clouds = pass.clouds};
    bool is_growing = false;
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) {
        const engine::Group& group = (*snapshot.groups)[g];
        const int of_group = candidates[group.group.id.value()];
        out.groups.push_back(group_status(pass, group, health.groups[g], of_group));
        const StatusPart& part = out.groups.back().part;
        is_growing |= part.scale_up.status == "InProgress";
        out.cluster.unjoined += part.unjoined;
        out.cluster.long_unjoined += part.long_unjoined;
        out.cluster.candidates += of_group;
    }
    StatusPart& cluster = out.cluster;
    cluster.health = condition("health", health_word(health.unhealthy_because), pass.wall_at());
    cluster.scale_up =
        condition("scaleUp", is_growing ? "InProgress" : "NoActivity", pass.wall_at());
    cluster.scale_down =
        condition("scaleDown", candidates_word(cluster.candidates), pass.wall_at());
    before_ = std::exchange(now_, {});
    return out;
}

namespace {

/// Text as YAML, in quotes where it could be taken for something else than text.
std::string yaml(std::string_view text) {
    bool is_plain = !text.empty() && is_ascii_alnum(text[0]) && !is_ascii_digit(text[0]);
    for (const char c : text)
        if (!is_ascii_alnum(c) && c != '-' && c != '_' && c != '.' && c != '/') is_plain = false;
    for (const std::string_view word :
         {"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
        if (text == word) is_plain = false;
    if (is_plain) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

/// Lines of YAML, indented by two blanks for each level.
class Lines {
public:
    explicit Lines(int depth) : depth_(depth) {}

    void begin(std::string_view key) {
        line(key, "");
        ++depth_;
    }
    void end() { --depth_; }
    void line(std::string_view key, std::string_view value) {
        text_.append(static_cast<std::size_t>(depth_) * 2, ' ').append(key).append(":");
        if (!value.empty()) text_.append(" ").append(value);
        text_ += '\n';
    }
    void line(std::string_view key, int value) { line(key, std::to_string(value)); }
    std::string take() { return std::move(text_); }

private:
    int depth_;
    std::string text_{};
};

std::string quoted_moment(Time time) {
    return "\"" + kubernetes::find_timestamp_text(time).value_or("") + "\"";
}

void write_times(Lines& out, const StatusCondition& condition, Time probe) {
    out.line("lastProbeTime", quoted_moment(probe));
    out.line("lastTransitionTime", quoted_moment(condition.transition));
}

void write_counts(Lines& out, const StatusPart& part) {
    const engine::health::NodeCounts& nodes = part.nodes;
    out.begin("nodeCounts");
    out.begin("registered");
    out.line("total", nodes.registered() + nodes.deleted);
    out.line("ready", nodes.ready);
    out.line("notStarted", nodes.starting);
    out.line("suspended", nodes.suspended);
    if (nodes.deleted > 0) out.line("beingDeleted", nodes.deleted);
    out.begin("unready");
    out.line("total", nodes.unready + nodes.long_starting);
    // Nodes that still lack their GPUs count as notStarted.
    out.line("resourceUnready", 0);
    out.end();
    out.end();
    out.line("longUnregistered", part.long_unjoined);
    out.line("unregistered", part.unjoined);
    out.end();
}

void write_part(Lines& out, const StatusPart& part, const GroupStatus* group, Time probe) {
    out.begin("health");
    out.line("status", part.health.status);
    write_counts(out, part);
    if (group != nullptr) {
        out.line("cloudProviderTarget", group->target);
        out.line("minSize", group->min);
        out.line("maxSize", group->max);
    }
    write_times(out, part.health, probe);
    out.end();
    out.begin("scaleUp");
    out.line("status", part.scale_up.status);
    if (group != nullptr && group->backoff) {
        out.begin("backoffInfo");
        out.line("errorCode", yaml(group->backoff->code));
        out.line("errorMessage", yaml(group->backoff->message));
        out.end();
    }
    write_times(out, part.scale_up, probe);
    out.end();
    out.begin("scaleDown");
    out.line("status", part.scale_down.status);
    if (part.candidates > 0) out.line("candidates", part.candidates);
    write_times(out, part.scale_down, probe);
    out.end();
}

/// The most of the message about a refused configuration.
constexpr std::size_t config_message_max = 1000;
/// Room for the first three lines and the key of the list.
constexpr std::size_t head_room = 512;

void write_config(Lines& out, const ConfigStatus& config) {
    out.begin("configuration");
    out.line("inForce", config.is_in_force() ? "true" : "false");
    out.line("takenOver", quoted_moment(config.taken_over));
    if (config.since) {
        out.line("since", quoted_moment(*config.since));
        out.line("message", yaml(io::printable(config.because(), config_message_max)));
    }
    out.end();
}

/// Whether the group is unhealthy, backed off or changing.
bool is_notable(const GroupStatus& group) {
    const StatusPart& part = group.part;
    const engine::health::NodeCounts& nodes = part.nodes;
    return group.backoff || part.health.status != "Healthy" ||
           part.scale_up.status != "NoActivity" || part.candidates > 0 || part.unjoined > 0 ||
           part.long_unjoined > 0 || nodes.unready > 0 || nodes.starting > 0 ||
           nodes.long_starting > 0 || nodes.deleted > 0;
}

std::string group_text(const GroupStatus& group, Time probe) {
    Lines lines(1);
    lines.line("name", yaml(group.name));
    write_part(lines, group.part, &group, probe);
    std::string item = lines.take();
    item[0] = '-';
    return item;
}

struct ListedGroups {
    std::string text{};
    std::string left_out{};  ///< how many groups are left out, as a sentence; empty: none
};

ListedGroups list_groups(const ClusterStatus& status, std::size_t room) {
    ListedGroups out;
    for (const GroupStatus& group : status.groups) {
        out.text += group_text(group, status.at);
        if (out.text.size() > room) break;
    }
    if (out.text.size() <= room) return out;
    out.text.clear();
    std::size_t left_out = 0, notable = 0;
    for (const bool notable_first : {true, false})
        for (const GroupStatus& group : status.groups) {
            if (is_notable(group) != notable_first) continue;
            std::string text = left_out == 0 ? group_text(group, status.at) : std::string();
            if (left_out == 0 && out.text.size() + text.size() <= room) {
                out.text += text;
            } else {
                ++left_out;
                notable += notable_first ? 1 : 0;
            }
        }
    const auto more = counted(static_cast<std::int64_t>(left_out), "more group");
    out.left_out = notable == 0 ? more + " not shown, all healthy and idle"
                                : more + " not shown, " + std::to_string(notable) +
                                      " of them unhealthy, backed off or changing";
    return out;
}

/// The list of clouds, which upstream does not have.
std::string clouds_text(const std::vector<CloudState>& clouds) {
    std::string out = clouds.empty() ? "" : "clouds:\n";
    for (const CloudState& cloud : clouds) {
        Lines lines(1);
        lines.line("name", yaml(cloud.cloud.value()));
        lines.line("status", name_of(cloud.status));
        if (cloud.answered) lines.line("lastAnswered", quoted_moment(*cloud.answered));
        if (!cloud.because.empty()) lines.line("message", yaml(cloud.because));
        std::string item = lines.take();
        item[0] = '-';
        out += item;
    }
    return out;
}

}  // namespace

std::string go_time_text(Time time) {
    std::string out = kubernetes::find_timestamp_text(time).value_or("1970-01-01T00:00:00Z");
    out[out.find('T')] = ' ';
    out.pop_back();  // the Z
    return out + " +0000 UTC";
}

std::string status_text(const ClusterStatus& status, std::size_t most) {
    Lines after(0);
    if (status.config) write_config(after, *status.config);
    after.begin("clusterWide");
    write_part(after, status.cluster, nullptr, status.at);
    after.end();
    const std::string rest = after.take() + clouds_text(status.clouds);
    const ListedGroups groups = list_groups(status, most - std::min(most, rest.size() + head_room));
    Lines out(0);
    out.line("time", go_time_text(status.at));
    out.line("autoscalerStatus", "Running");
    if (!groups.left_out.empty()) out.line("message", yaml(groups.left_out));
    return out.take() + rest + (groups.text.empty() ? "" : "nodeGroups:\n" + groups.text);
}

std::string initializing_text(const std::string& message, Time now) {
    Lines out(0);
    out.line("time", go_time_text(now));
    out.line("autoscalerStatus", "Initializing");
    out.line("message", yaml(message));
    return out.take();
}

StatusWriter::StatusWriter(kubernetes::client::Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)), maps_(api, loop, options_.seed) {}

void StatusWriter::write(std::string text, Time now) {
    next_ = io::redacted(std::move(text));
    next_at_ = now;
    if (!is_writing_) send();
}

void StatusWriter::send() {
    is_writing_ = true;
    kubernetes::client::ConfigMapChange change{
        .data = {{"status", std::exchange(next_, {})}},
        .annotations = {
            {std::string(well_known::last_updated_annotation), go_time_text(next_at_)}}};
    maps_.write(options_.name, std::move(change),
                [this](const Result<kubernetes::client::ConfigMap>& written) {
                    is_writing_ = false;
                    if (written) {
                        uid_ = written->uid;
                    } else if (!is_failing_ && options_.on_error) {
                        options_.on_error(within("status", written.error()));
                    }
                    is_failing_ = !written;
                    if (removed_) return remove(std::exchange(removed_, nullptr));
                    if (!next_.empty()) send();
                });
}

void StatusWriter::remove(std::function<void()> done) {
    next_.clear();
    if (is_writing_) {
        removed_ = std::move(done);
        return;
    }
    maps_.remove(options_.name, [done = std::move(done)](const Result<void>&) { done(); });
}

kubernetes::client::ObjectReference StatusWriter::reference() const {
    return {.kind = "ConfigMap", .ns = options_.name.ns, .name = options_.name.name, .uid = uid_};
}

}  // namespace capstan::autoscaler::daemon
