/// From JSON of the Kubernetes API to what a snapshot is built of.
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

namespace capstan::kubernetes {

struct ObjectProblem {
    std::string object;   ///< "Pod shop/web-1"
    std::string pointer;  ///< RFC 6901, within the object; empty: the object itself
    std::string what;
    bool left_out = false;  ///< the whole object, not the malformed part alone
    bool operator==(const ObjectProblem&) const = default;
};
/// "Pod shop/web-1: /spec/priority expects ..., found ...; the object is left out"
std::string to_string(const ObjectProblem& problem);

/// What came of a text.
struct DecodeReport {
    using Counts = std::map<std::string, std::size_t, std::less<>>;
    Counts loaded{};           ///< objects by kind
    Counts ignored{};          ///< of kinds that no decision needs; "Node (longhorn.io)" of a group
    std::size_t left_out = 0;  ///< objects that could not be read
    std::vector<ObjectProblem> problems{};  ///< the first hundred, in the order of the text
    std::size_t more_problems = 0;
    /// Where the text stopped being JSON, or ended too early. What stood before is loaded, so the
    /// cluster is not whole.
    std::optional<Error> cut_short{};
};

/// Sees an object of a text, members that no decoder reads left out, whether or not a snapshot has
/// a use for its kind. Valid during the call alone.
using ObjectListener = std::function<void(std::string_view kind, const boost::json::value& object)>;

/// [one thread] Decodes objects as their text comes in; for the shapes see ObjectStream, for the
/// kinds find_kind(). Of an object that comes twice the last one counts. Members that are not read
/// and kinds that are not needed are passed over; what is malformed is reported, and the rest
/// loads.
class ListDecoder {
public:
    /// Borrows the sink, a ClusterBuilder for example.
    explicit ListDecoder(engine::snapshot::ClusterSink& sink, ObjectListener listener = {});
    ListDecoder(const ListDecoder&) = delete;
    ListDecoder& operator=(const ListDecoder&) = delete;
    ~ListDecoder();

    /// A piece of any size. Fails where the text is no JSON, and from then on.
    Result<void> feed(std::string_view piece);
    /// The end of the text; last call.
    DecodeReport finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes
