/// How streams share a thread with all else that it does.
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

/// What comes of streams is handed over up to so many bytes a turn, one turn after the other with
/// other work between; what comes beyond waits. A few bytes may unpack to a thousand times as much,
/// and a peer may send without end, so without turns a stream could keep the thread for as long as
/// it likes. Used on one strand; parts are handed over inside `take` and `turn`, in order.
class StreamTurns {
public:
    using Id = std::uint64_t;
    using OnPart = std::function<void(std::string_view part)>;
    struct Limits {
        std::size_t turn = std::size_t{256} << 10;
        std::size_t waiting = std::size_t{4} << 20;  ///< from which on no more should be read
        std::size_t most = std::size_t{32} << 20;    ///< from which on no more may be taken
    };
    explicit StreamTurns(Limits limits) : limits_(limits) {}

    void open(Id id, OnPart on_part);
    void take(Id id, std::string_view part);
    bool is_waiting(Id id) const;
    void close(Id id);
    struct Turned {
        std::vector<Id> done;    ///< have nothing waiting any more
        std::vector<Id> failed;  ///< their listener threw, and hears nothing more
    };
    /// One stream after the other, a part each, until the turn's bytes are used up or nothing
    /// waits.
    Turned turn();
    /// Whether `turn` has to be called once other work was done.
    bool wants_turn() const noexcept { return given_ > 0 || waiting_ > 0; }
    bool is_full() const noexcept { return waiting_ >= limits_.waiting; }
    bool is_overfull() const noexcept { return waiting_ >= limits_.most; }
    /// There is room again: half of what may wait.
    bool has_room() const noexcept { return waiting_ * 2 <= limits_.waiting; }

private:
    struct Stream {
        OnPart on_part;
        std::deque<std::string> parts;
    };
    bool hand_over(Stream& stream);

    const Limits limits_;
    std::map<Id, Stream> streams_;
    std::size_t given_ = 0;    ///< bytes, in this turn
    std::size_t waiting_ = 0;  ///< bytes
    Id last_ = 0;              ///< whose part was handed over last
};

}  // namespace capstan::io
