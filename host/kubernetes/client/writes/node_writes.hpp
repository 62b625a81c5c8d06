/// Changes nodes through the API without losing what others write to them meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "engine/actions.hpp"
#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes {

/// Reads the node and patches what differs, guarded by its resourceVersion; when somebody else was
/// faster, both again, five times in all. Where roles grant `update` alone, as upstream's chart
/// does, it puts the whole object back as it was read, changed. Used on the loop's thread alone.
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

}  // namespace capstan::kubernetes
