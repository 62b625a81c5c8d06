/// Fair sharing of a thread between streams and other work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::io {

/// A few compressed bytes may decompress to a thousand times as much, and a peer may send without
/// end, so a stream could keep the thread busy for ever. Therefore listeners get a limited number
/// of bytes per turn, further parts wait in a queue, and the thread does other work between two
/// turns. Used on one strand. Listeners are called inside `take` and `turn`, in order.
class StreamTurns {
public:
    using Id = std::uint64_t;
    using OnPart = std::function<void(std::string_view part)>;
    struct Limits {
        std::size_t turn = std::size_t{256} << 10;  ///< bytes per turn
        /// bytes from which is_full() holds: nothing more is read
        std::size_t waiting = std::size_t{4} << 20;
        /// bytes from which is_overfull() holds: nothing more is taken
        std::size_t most = std::size_t{32} << 20;
    };
    explicit StreamTurns(Limits limits) : limits_(limits) {}

    void open(Id id, OnPart on_part);
    void take(Id id, std::string_view part);
    bool is_waiting(Id id) const;
    void close(Id id);
    struct TurnResult {
        std::vector<Id> done;    ///< streams that have no waiting part any more
        std::vector<Id> failed;  ///< streams with a listener that threw; it is not called again
    };
    /// Passes on waiting parts, one part of each stream in turn, until the bytes of the turn are
    /// used up or no part waits.
    TurnResult turn();
    /// Whether `turn` has to be called after other work.
    bool wants_turn() const noexcept { return given_ > 0 || waiting_ > 0; }
    bool is_full() const noexcept { return waiting_ >= limits_.waiting; }
    bool is_overfull() const noexcept { return waiting_ >= limits_.most; }
    /// At most half of Limits::waiting waits, so reading may go on.
    bool has_room() const noexcept { return waiting_ * 2 <= limits_.waiting; }

private:
    struct Stream {
        OnPart on_part;
        std::deque<std::string> parts;
    };
    bool hand_over(Stream& stream);

    const Limits limits_;
    std::map<Id, Stream> streams_;
    std::size_t given_ = 0;    ///< bytes passed on in this turn
    std::size_t waiting_ = 0;  ///< bytes
    Id last_ = 0;              ///< the stream of the last part that was passed on
};

}  // namespace capstan::io
