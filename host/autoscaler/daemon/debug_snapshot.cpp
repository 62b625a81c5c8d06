#include "autoscaler/daemon/debug_snapshot.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "engine/pods/pending.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"
#include "engine/templates/templates.hpp"
#include "kubernetes/objects/object_encode.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using engine::snapshot::Cluster;

/// Object after object, so that never all of them are there twice.
class Writer {
public:
    explicit Writer(const PassReport& pass) : pass_(pass), cluster_(pass.input.snapshot.cluster) {}

    std::string write(Time start, Time end) {
        text_ = "{\"NodeList\":[";
        for (engine::NodeIndex node = 0; node < cluster_.node_count(); ++node) {
            if (node > 0) text_ += ',';
            write_node(node);
        }
        text_ += "],\"UnscheduledPodsCanBeScheduled\":";
        write_pods(pods_with_room());
        text_ += ",\"TemplateNodes\":{";
        write_templates();
        text_ += '}';
        write_moment("StartTimestamp", start);
        write_moment("EndTimestamp", end);
        text_ += '}';
        return std::move(text_);
    }

private:
    void write(const boost::json::value& value) { text_ += boost::json::serialize(value); }
    void write_moment(const char* key, Time time) {
        text_ += std::string(",\"") + key + "\":";
        write(boost::json::string(kubernetes::find_timestamp_text(time).value_or("")));
    }
    template <class Pods>
    void write_pods(const Pods& pods) {
        text_ += '[';
        bool is_first = true;
        for (const engine::PodIndex pod : pods) {
            if (!std::exchange(is_first, false)) text_ += ',';
            write(kubernetes::objects::encode_pod(
                engine::snapshot::pod_object(cluster_, cluster_.pod(pod))));
        }
        text_ += ']';
    }
    void write_node(engine::NodeIndex node) {
        text_ += "{\"Node\":";
        write(kubernetes::objects::encode_node(
            engine::snapshot::node_object(cluster_, cluster_.node(node))));
        text_ += ",\"Pods\":";
        write_pods(cluster_.pods_on(node));
        text_ += '}';
    }

    /// By class: how many that wait need no new node.
    std::map<engine::PodGroupId, std::uint32_t> count_with_room() const {
        std::map<engine::PodGroupId, std::uint32_t> out;
        for (const engine::PodCount& pods :
             engine::pods::find_pending(cluster_, pass_.input.settings,
                                        pass_.input.call_context.time())
                 .pod_groups)
            out[pods.equivalence_group] = pods.count;
        const auto take = [&](const engine::PodCount& pods) {
            const auto at = out.find(pods.equivalence_group);
            if (at != out.end()) at->second -= std::min(at->second, pods.count);
        };
        for (const engine::PodCount& pods : pass_.decision().schedulable) take(pods);
        for (const engine::UnschedulablePods& unschedulable : pass_.decision().unschedulable)
            take(unschedulable.pods);
        return out;
    }

    std::vector<engine::PodIndex> pods_with_room() const {
        std::map<engine::PodGroupId, std::uint32_t> left = count_with_room();
        std::vector<engine::PodIndex> out(cluster_.unbound().begin(), cluster_.unbound().end());
        const auto name = [&](engine::PodIndex pod) {
            const engine::snapshot::PodRow row = cluster_.pod(pod);
            return std::pair(cluster_.text(cluster_.equivalence_group(row.equivalence_group).ns),
                             cluster_.text(row.name));
        };
        std::ranges::sort(out, {}, name);
        std::erase_if(out, [&](engine::PodIndex pod) {
            const auto at = left.find(cluster_.equivalence_group_of(pod));
            if (at == left.end() || at->second == 0) return true;
            --at->second;
            return false;
        });
        return out;
    }

    void write_templates() {
        const engine::Snapshot& snapshot = pass_.input.snapshot;
        const auto templates = engine::templates::make_templates(
            snapshot, pass_.input.settings, pass_.input.call_context.time(),
            pass_.result.outcome.memory.templates);
        bool is_first = true;
        for (std::size_t g = 0; g < templates.size(); ++g) {
            if (templates[g].node == nullptr) continue;
            if (!std::exchange(is_first, false)) text_ += ',';
            const std::string& id = (*snapshot.groups)[g].group.id.value();
            const NodeTemplate& node = *templates[g].node;
            write(boost::json::string(id));
            text_ += ":{\"Node\":";
            write(kubernetes::objects::encode_node({.name = "template-node-for-" + id,
                                                    .labels = node.labels,
                                                    .annotations = node.annotations,
                                                    .taints = node.taints,
                                                    .capacity = node.capacity,
                                                    .allocatable = node.allocatable}));
            text_ += ",\"Pods\":[]}";
        }
    }

    const PassReport& pass_;
    const Cluster& cluster_;
    std::string text_{};
};

}  // namespace

std::string snapshot_json(const PassReport& pass, Time start, Time end) {
    return Writer(pass).write(start, end);
}

std::string failed_snapshot_json(const std::string& why, Time start, Time end) {
    const auto text = [](Time time) { return kubernetes::find_timestamp_text(time).value_or(""); };
    return boost::json::serialize(boost::json::object{{"NodeList", nullptr},
                                                      {"UnscheduledPodsCanBeScheduled", nullptr},
                                                      {"Error", why},
                                                      {"TemplateNodes", nullptr},
                                                      {"StartTimestamp", text(start)},
                                                      {"EndTimestamp", text(end)}});
}

Result<DebugSnapshot::RequestId> DebugSnapshot::ask(Answer answer) {
    const std::lock_guard lock(mutex_);
    if (waiting_)
        return fail(ErrorCode::busy,
                    "Another debugging snapshot request is being processed. Concurrent requests "
                    "not supported");
    waiting_ = Request{.id = ++last_, .answer = std::move(answer)};
    return last_;
}

void DebugSnapshot::give_up(RequestId request) {
    std::optional<Request> given_up;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_ && waiting_->id == request) given_up = std::exchange(waiting_, std::nullopt);
    }
    if (given_up) given_up->answer(fail(ErrorCode::unavailable, "no pass ran in time"));
}

bool DebugSnapshot::is_asked() {
    const std::lock_guard lock(mutex_);
    return waiting_.has_value();
}

void DebugSnapshot::pass_began(Time now) {
    const std::lock_guard lock(mutex_);
    if (waiting_) waiting_->began = now;
}

void DebugSnapshot::pass_ended(const PassReport* pass, Time now) {
    RequestId id = 0;
    Time began;
    {
        const std::lock_guard lock(mutex_);
        if (!waiting_ || !waiting_->began) return;
        id = waiting_->id;
        began = *waiting_->began;
    }
    // Takes its time; meanwhile the request may be given up.
    TakenSnapshot taken{
        .json = pass != nullptr ? snapshot_json(*pass, began, now)
                                : failed_snapshot_json("Unable to collect any data", began, now),
        .has_failed = pass == nullptr};
    std::optional<Request> answered;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_ && waiting_->id == id) answered = std::exchange(waiting_, std::nullopt);
    }
    if (answered) answered->answer(std::move(taken));
}

}  // namespace capstan::autoscaler::daemon
