/// API objects out of JSON text that comes in pieces: a list is handed on item by item, and of an
/// item only what somebody reads is ever in memory.
#pragma once

#include <memory>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

namespace capstan::kubernetes {

/// Who gets the objects, in the order of the text.
class ObjectSink {
public:
    virtual ~ObjectSink() = default;
    /// `kind` is what the list says its items are; empty: they say it themselves. `object` is
    /// what stands where an object should, be it one or not, and valid during the call alone.
    virtual void take(std::string_view kind, const boost::json::value& object) = 0;
    /// What the maker of a snapshot says went wrong while it was made.
    virtual void take_error(std::string_view text) = 0;
};

/// [one thread] Understood are, also one after the other in one text:
///   a single object;
///   a list, of a kind such as PodList whose items need not say theirs, or of kind List;
///   an array of either;
///   the debugging snapshot of Cluster Autoscaler: NodeList, whose items have Node and Pods, and
///   UnscheduledPodsCanBeScheduled. Its TemplateNodes are no objects of a cluster and passed over.
class ObjectStream {
public:
    /// Borrows the sink.
    explicit ObjectStream(ObjectSink& sink);
    ObjectStream(const ObjectStream&) = delete;
    ObjectStream& operator=(const ObjectStream&) = delete;
    ~ObjectStream();

    /// Hands on what the text completes. Fails where it is no JSON, with the line and column; what
    /// stood before has been handed on, and nothing after will be: the error stays.
    Result<void> write(std::string_view text);
    /// Fails where the text ends too early, or was empty.
    Result<void> finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes
