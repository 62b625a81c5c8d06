#include "kubernetes/object_stream.hpp"

#include "kubernetes/document_parser.hpp"
#include "kubernetes/object_events.hpp"

namespace capstan::kubernetes {

struct ObjectStream::State {
    explicit State(ObjectSink& sink) : parser(sink) {}

    DocumentParser<ObjectEvents> parser;
};

ObjectStream::ObjectStream(ObjectSink& sink) : state_(std::make_unique<State>(sink)) {}
ObjectStream::~ObjectStream() = default;

Result<void> ObjectStream::write(std::string_view text) { return state_->parser.write(text); }
Result<void> ObjectStream::finish() { return state_->parser.finish(); }

}  // namespace capstan::kubernetes
