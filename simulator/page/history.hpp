/// What a page shows of a run, gathered pass by pass while it runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulator/run.hpp"

namespace capstan::simulator::page {

/// A value that holds from `at` until the next entry of its list.
template <class T>
struct Since {
    Duration at{0};
    T value{};
    bool operator==(const Since&) const = default;
};

/// A group as one pass saw it.
struct GroupLevel {
    int target = 0;
    int ready = 0;     ///< nodes
    int upcoming = 0;  ///< nodes that are requested or starting
    int other = 0;     ///< nodes that are unready, start for too long, or are being deleted
    std::optional<int> max{};
    bool operator==(const GroupLevel&) const = default;
};

/// A time during which a group was backed off.
struct Band {
    Duration from{0}, to{0};
    std::string because{};
    bool operator==(const Band&) const = default;
};

struct GroupHistory {
    std::vector<Since<GroupLevel>> levels{};  ///< ascending; each differs from the one before
    std::vector<Band> back_offs{};            ///< ascending, none overlaps another
};

struct History {
    std::map<std::string, GroupHistory> groups{};   ///< by id; all groups that any pass saw
    std::vector<Since<int>> pending{};              ///< pods without a node
    std::map<std::string, std::string> group_of{};  ///< group ids by node, of all passes
    Duration end{0};                                ///< the end of the run
};

/// Records a level only when it differs from the one before. Passes that the simulation leaves out
/// would have seen no change, so a level holds until a later pass sees another. Recorded times
/// never go back: after the clock was set back, they do not move until it has caught up.
class PassHistory final : public Observer {
public:
    explicit PassHistory(Time start) : start_(start) {}

    void on_decision(const autoscaler::PassReport& pass) override;

    /// The history of a run that lasted until `end`. Back-offs that have not ended last until then.
    /// To be called once, after the run.
    History take(Duration end);

private:
    void add_levels(const autoscaler::PassInput& input, const autoscaler::PassResult& result);
    void add_backoffs(const engine::Memory& memory, Time now);
    /// The time since the start, at least that of the pass before.
    Duration since_start(Time moment) const;

    const Time start_;
    Duration now_{0}, previous_{0};  ///< the times of the last two passes
    History history_{};
    /// The groups that are backed off now, with the end of their back-off; absent: it has no end.
    std::map<std::string, std::optional<Duration>> open_;
};

}  // namespace capstan::simulator::page
