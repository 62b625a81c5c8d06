/// Decodes JSON of the Kubernetes API into the objects that a snapshot is built of.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster_sink.hpp"
#include "kubernetes/field_mask.hpp"

namespace capstan::kubernetes::objects {

struct ObjectProblem {
    std::string object;   ///< "Pod shop/web-1"
    std::string pointer;  ///< RFC 6901, within the object; empty: the object itself
    std::string what;
    bool left_out = false;  ///< true: the whole object is left out, not only its malformed part
    bool operator==(const ObjectProblem&) const = default;
};
/// "Pod shop/web-1: /spec/priority expects ..., found ...; the object is ignored"
std::string to_string(const ObjectProblem& problem);

/// What was decoded from one text.
struct DecodeReport {
    using Counts = std::map<std::string, std::size_t, std::less<>>;
    Counts loaded{};  ///< objects by kind
    /// Objects of kinds that no decision needs, by kind; a kind of another API group that has a
    /// needed kind's name is counted with its group: "Node (longhorn.io)".
    Counts ignored{};
    std::size_t left_out = 0;               ///< objects that could not be read
    std::vector<ObjectProblem> problems{};  ///< the first hundred, in the order of the text
    std::size_t more_problems = 0;
    /// Set if the text is not JSON from some point on, or is truncated. The objects before that
    /// point are loaded, so the cluster is incomplete.
    std::optional<Error> cut_short{};
};

/// Called with each object of a text, of needed and of ignored kinds, without the members
/// that no decoder reads. The arguments are valid during the call alone.
using ObjectListener = std::function<void(std::string_view kind, const boost::json::value& object)>;

/// [one thread] Decodes objects as their text comes in. ObjectStream lists the accepted shapes of
/// text, find_kind() the decoded kinds. The last one of several objects with one name counts.
/// Malformed parts are reported, and all other objects load.
class ListDecoder {
public:
    /// Borrows the sink, a ClusterBuilder for example. The listener gets the members in `kept`.
    explicit ListDecoder(engine::snapshot::ClusterSink& sink, ObjectListener listener = {},
                         const KeptMembers& kept = field_mask());
    ListDecoder(const ListDecoder&) = delete;
    ListDecoder& operator=(const ListDecoder&) = delete;
    ~ListDecoder();

    /// A piece may have any size. Fails if the text is not JSON, and on each call from then on.
    Result<void> feed(std::string_view piece);
    /// Ends the text. No call may follow.
    DecodeReport finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes::objects
