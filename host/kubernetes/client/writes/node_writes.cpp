#include "kubernetes/client/writes/node_writes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/client/json_object.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/writes/node_edit.hpp"
#include "kubernetes/client/writes/write_conflicts.hpp"

namespace capstan::kubernetes {

struct NodeWrites::Attempt {
    engine::NodeChange change;
    Done done;
    Duration deadline{};
    WriteConflicts conflicts;
    /// Why the patch was refused, while the update is tried in its place.
    std::optional<Error> refusal{};
};

NodeWrites::NodeWrites(Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)), random_(options_.seed), calls_(api, loop) {}

void NodeWrites::change(const engine::NodeChange& change, Done done) {
    read(std::make_shared<Attempt>(Attempt{.change = change,
                                           .done = std::move(done),
                                           .deadline = calls_.loop().monotonic() + options_.timeout,
                                           .conflicts = WriteConflicts(random_)}));
}

void NodeWrites::send(const Attempt& attempt, std::string method, std::string body,
                      std::string content_type, Api::Done done) {
    const Duration left = attempt.deadline - calls_.loop().monotonic();
    calls_.send({.method = std::move(method),
                 .path = path_of(resources::nodes, {}, attempt.change.node),
                 .body = std::move(body),
                 .content_type = std::move(content_type),
                 .timeout = std::max<Duration>(left, std::chrono::milliseconds(1)),
                 .purpose = "node"},
                std::move(done));
}

void NodeWrites::read(std::shared_ptr<Attempt> attempt) {
    send(*attempt, "GET", {}, "application/json", [this, attempt](Result<ApiReply> reply) {
        Result<boost::json::object> node = parse_object(std::move(reply));
        if (!node) return finish(attempt, fail(std::move(node).error()));
        write(attempt, std::move(*node));
    });
}

void NodeWrites::write(std::shared_ptr<Attempt> attempt, boost::json::object node) {
    const auto patch_of_it = find_node_patch(node, attempt->change, calls_.loop().clock()->wall());
    if (!patch_of_it) return finish(attempt, {});
    if (may_patch_) return patch(attempt, std::move(node), *patch_of_it);
    apply_merge_patch(node, *patch_of_it);
    update(attempt, node);
}

void NodeWrites::patch(std::shared_ptr<Attempt> attempt, boost::json::object node,
                       const boost::json::object& patch) {
    apply_merge_patch(node, patch);
    send(*attempt, "PATCH", boost::json::serialize(patch), "application/merge-patch+json",
         [this, attempt, node = std::move(node)](Result<ApiReply> reply) {
             if (reply || reply.error().code != ErrorCode::permission)
                 return finish(attempt, reply ? Result<void>() : fail(reply.error()));
             attempt->refusal = reply.error();
             update(attempt, node);
         });
}

void NodeWrites::update(std::shared_ptr<Attempt> attempt, const boost::json::object& node) {
    send(*attempt, "PUT", boost::json::serialize(node), "application/json",
         [this, attempt](Result<ApiReply> reply) {
             // An update that is refused as well proves nothing about patches: an admission
             // controller may have refused this very change.
             const std::optional<Error> refusal = std::exchange(attempt->refusal, std::nullopt);
             if (reply && refusal && std::exchange(may_patch_, false) && options_.on_update_instead)
                 options_.on_update_instead(*refusal);
             finish(attempt, reply ? Result<void>() : fail(reply.error()));
         });
}

void NodeWrites::finish(std::shared_ptr<Attempt> attempt, Result<void> result) {
    if (!result && result.error().code == ErrorCode::conflict) {
        const std::optional<Duration> delay = attempt->conflicts.next_delay();
        const Duration now = calls_.loop().monotonic();
        if (delay && now + *delay < attempt->deadline)
            return calls_.after(*delay, [this, attempt] { read(attempt); });
    }
    attempt->done(result ? std::move(result)
                         : fail(within("change node " + attempt->change.node, result.error())));
}

}  // namespace capstan::kubernetes
