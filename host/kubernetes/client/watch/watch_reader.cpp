#include "kubernetes/client/watch/watch_reader.hpp"

#include "kubernetes/client/watch/watch_events.hpp"
#include "kubernetes/document_parser.hpp"

namespace capstan::kubernetes {

struct WatchReader::State {
    State(WatchSink& sink, const KeptMembers* kept) : parser(sink, kept) {}

    DocumentParser<WatchEvents> parser;
};

WatchReader::WatchReader(WatchSink& sink, const KeptMembers* kept)
    : state_(std::make_unique<State>(sink, kept)) {}
WatchReader::~WatchReader() = default;

Result<void> WatchReader::feed(std::string_view piece) { return state_->parser.write(piece); }

Result<PageEnd> WatchReader::finish_page() {
    CAPSTAN_CHECK(state_->parser.finish());
    // Who took another answer for an empty list would think that everything is gone.
    if (!state_->parser.events().is_page())
        return fail(ErrorCode::invalid_argument, "is no list: it has no items");
    return state_->parser.events().page();
}

}  // namespace capstan::kubernetes
