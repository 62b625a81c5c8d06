/// What a NodeChange makes of a Node object.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

/// A merge patch that changes `node` as asked, and only if it still is the one that was read: it
/// carries the resourceVersion. Taints are one atomic list to the API, so the patch has all of
/// them, others' with all their fields. Nothing: the node is that way already.
///     set ToBeDeleted=1700000000:NoSchedule  ->  {"metadata":{"resourceVersion":"7"},"spec":
///     {"taints":[what was there..., {"key":"ToBeDeleted",...}]}}
/// `now` is when NoExecute taints say that they were added; one that stays keeps its own time.
std::optional<boost::json::object> find_node_patch(const boost::json::object& node,
                                                   const engine::NodeChange& change, Time now);

/// `object` as a merge patch (RFC 7386) leaves it.
void apply_merge_patch(boost::json::object& object, const boost::json::object& patch);

// Changes nodes through the API without losing what others write to them meanwhile.

/// Reads the node and patches what differs, guarded by its resourceVersion; after a conflict both
/// again, five times in all. Where roles grant `update` alone, as upstream's chart does, it puts
/// the whole object back as it was read, changed. Used on the loop's thread alone.
class NodeWrites {
public:
    using Done = std::function<void(Result<void>)>;
    struct Options {
        std::uint64_t seed = 0;                       ///< of jitter
        Duration timeout = std::chrono::seconds(30);  ///< of a change with all its tries
        /// Told once: patching is refused, updating is not; from now on nodes are updated.
        std::function<void(const Error& refusal)> on_update_instead{};
    };
    /// Borrows both.
    NodeWrites(Api& api, io::Loop& loop, Options options);

    /// All of the change or nothing of it; a node that is that way already is not written to.
    /// `not_found`: there is no such node. `conflict`: others were faster each time. `permission`:
    /// neither patch nor update is granted. Several changes may be under way, also of one node.
    /// `done` is not called inside this, nor once this object is gone.
    void change(const engine::NodeChange& change, Done done);

private:
    struct Attempt;
    void read(std::shared_ptr<Attempt> attempt);
    void write(std::shared_ptr<Attempt> attempt, boost::json::object node);
    void patch(std::shared_ptr<Attempt> attempt, boost::json::object node,
               const boost::json::object& patch);
    void update(std::shared_ptr<Attempt> attempt, const boost::json::object& node);
    void finish(std::shared_ptr<Attempt> attempt, Result<void> result);
    void send(const Attempt& attempt, std::string method, std::string body,
              std::string content_type, Api::Done done);

    const Options options_;
    io::RandomSource random_;
    bool may_patch_ = true;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
