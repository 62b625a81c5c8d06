#include "io/stream_turns.hpp"

#include <iterator>
#include <utility>

namespace capstan::io {

void StreamTurns::open(Id id, OnPart on_part) {
    streams_.emplace(id, Stream{std::move(on_part), {}});
}

void StreamTurns::take(Id id, std::string_view part) {
    Stream& stream = streams_.at(id);
    if (stream.parts.empty() && given_ < limits_.turn) {
        given_ += part.size();
        if (stream.on_part) stream.on_part(part);
        return;
    }
    stream.parts.emplace_back(part);
    waiting_ += part.size();
}

bool StreamTurns::is_waiting(Id id) const {
    const auto at = streams_.find(id);
    return at != streams_.end() && !at->second.parts.empty();
}

void StreamTurns::close(Id id) {
    const auto at = streams_.find(id);
    if (at == streams_.end()) return;
    for (const std::string& part : at->second.parts) waiting_ -= part.size();
    streams_.erase(at);
}

/// False: the listener threw.
bool StreamTurns::hand_over(Stream& stream) {
    const std::string part = std::move(stream.parts.front());
    stream.parts.pop_front();
    waiting_ -= part.size();
    given_ += part.size();
    try {
        if (stream.on_part) stream.on_part(part);
        return true;
    } catch (...) {  // out of memory, or another exception of the listener: ends the stream
        return false;
    }
}

StreamTurns::TurnResult StreamTurns::turn() {
    TurnResult out;
    given_ = 0;
    while (waiting_ > 0 && given_ < limits_.turn) {
        auto at = streams_.upper_bound(last_);
        while (at == streams_.end() || at->second.parts.empty())
            at = at == streams_.end() ? streams_.begin() : std::next(at);
        last_ = at->first;
        if (!hand_over(at->second)) {
            out.failed.push_back(last_);
            close(last_);
        } else if (at->second.parts.empty()) {
            out.done.push_back(last_);
        }
    }
    return out;
}

}  // namespace capstan::io
