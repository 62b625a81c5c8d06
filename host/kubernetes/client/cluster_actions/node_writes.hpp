/// Changes taints, cordons and annotations of nodes, without losing concurrent writes of others.
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

/// A merge patch that applies `change` to `node`. It carries the node's resourceVersion, so the
/// server rejects it after a concurrent write. The API replaces the list of taints as a whole, so
/// the patch has all taints, including those of other components with all their fields. Absent:
/// the node needs no change.
///     set ToBeDeleted=1700000000:NoSchedule  ->  {"metadata":{"resourceVersion":"7"},"spec":
///     {"taints":[what was there..., {"key":"ToBeDeleted",...}]}}
/// `now` becomes timeAdded of new NoExecute taints; an existing taint keeps its timeAdded.
std::optional<boost::json::object> find_node_patch(const boost::json::object& node,
                                                   const engine::NodeChange& change, Time now);

/// Applies a merge patch (RFC 7386) to `object`.
void apply_merge_patch(boost::json::object& object, const boost::json::object& patch);

/// Reads the node and patches the difference, guarded by its resourceVersion. After a conflict it
/// reads and patches again, five tries in all. If the role grants `update` but not `patch`, as that
/// of upstream's chart does, it updates the whole object as it was read, with the change applied.
/// Used on the loop's thread alone.
class NodeWrites {
public:
    using Done = std::function<void(Result<void>)>;
    struct Options {
        std::uint64_t seed = 0;                       ///< of jitter
        Duration timeout = std::chrono::seconds(30);  ///< of one change with all its tries
        /// Called once, when a patch is forbidden and the update is not. From then on nodes are
        /// updated.
        std::function<void(const Error& refusal)> on_update_instead{};
    };
    /// Borrows `api` and `loop`.
    NodeWrites(Api& api, io::Loop& loop, Options options);

    /// Makes the whole change or nothing of it. A node that needs no change is not written.
    /// `not_found`: the node does not exist. `conflict`: each try met a concurrent write.
    /// `permission`: neither patch nor update is granted. Several changes may be under way, also of
    /// one node. `done` is not called inside this call, nor after this object's destruction.
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
