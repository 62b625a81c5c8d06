#include "engine/scale_down/turns.hpp"

#include <algorithm>

namespace capstan::engine {
namespace {

class Turns {
public:
    Turns(std::span<const Turn> waiting, UnderWay under_way, const ScaleDownSettings& settings,
          const std::function<bool(std::size_t)>& may_begin)
        : waiting_(waiting),
          may_begin_(may_begin),
          all_(settings.max_parallelism - under_way.empty - under_way.drain),
          drain_(settings.max_drain_parallelism - under_way.drain),
          under_way_(under_way),
          most_(settings.max_parallelism) {}

    std::vector<std::size_t> take() {
        take_whole([](const Turn& turn) { return turn.empty > 0; });
        take_whole([](const Turn& turn) { return turn.empty == 0; });
        const bool keep_all_waiting = all_ < 1 && under_way_.empty == 0 && out_.empty();
        if (keep_all_waiting) take_single(std::min(most_, 1), true);
        take_single(all_, true);
        take_single(std::min(all_, drain_), false);
        return std::move(out_);
    }

private:
    template <class IsOfKind>
    void take_whole(IsOfKind is_of_kind) {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const Turn& turn = waiting_[i];
            if (!turn.whole || !is_of_kind(turn)) continue;
            const int drain = std::min(all_, drain_);
            const bool fits = turn.empty + turn.drain <= all_ && turn.drain <= drain;
            const bool is_any_left = all_ > 0 && (turn.drain == 0 || drain > 0);
            // So that small ones do not keep a large one waiting for ever.
            if (!fits && (!is_any_left || !may_go_beyond_)) return;
            if (begin(i)) may_go_beyond_ = false;
        }
    }

    void take_single(int most, bool empty) {
        for (std::size_t i = 0; i < waiting_.size() && most > 0; ++i) {
            if (waiting_[i].whole || (waiting_[i].empty > 0) != empty) continue;
            if (begin(i)) --most;
        }
    }

    bool begin(std::size_t i) {
        if (may_begin_ && !may_begin_(i)) return false;
        all_ -= waiting_[i].empty + waiting_[i].drain;
        drain_ -= waiting_[i].drain;
        out_.push_back(i);
        return true;
    }

    std::span<const Turn> waiting_;
    const std::function<bool(std::size_t)>& may_begin_;
    int all_;    // more may begin
    int drain_;  // of those with pods
    UnderWay under_way_;
    int most_;
    bool may_go_beyond_ = true;  // only the first whole group
    std::vector<std::size_t> out_{};
};

}  // namespace

std::vector<std::size_t> take_turns(std::span<const Turn> waiting, UnderWay under_way,
                                    const ScaleDownSettings& settings,
                                    const std::function<bool(std::size_t)>& may_begin) {
    return Turns(waiting, under_way, settings, may_begin).take();
}

}  // namespace capstan::engine
