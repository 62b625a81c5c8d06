/// What a page shows of a run, gathered pass by pass while it runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "simulation/run.hpp"

namespace capstan::simulation::page {

/// What was true from `at` to the next.
template <class T>
struct Since {
    Duration at{0};
    T value{};
    bool operator==(const Since&) const = default;
};

/// A group as one pass saw it.
struct GroupLevel {
    int target = 0;
    int ready = 0;     ///< nodes that take pods
    int upcoming = 0;  ///< nodes that it will have without being asked again
    int other = 0;     ///< nodes that are neither: broken, or going
    std::optional<int> max{};
    bool operator==(const GroupLevel&) const = default;
};

/// The group was backed off.
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
    std::map<std::string, GroupHistory> groups{};  ///< by id; all that any pass saw
    std::vector<Since<int>> pending{};             ///< pods without a node
    /// The group of each node that any pass saw in one.
    std::map<std::string, std::string> group_of{};
    Duration end{0};
};

/// SimulatedAutoscaler that are left out change nothing, so a level holds until a later pass sees
/// another. Where the clock is set back, time stands still until it has caught up.
class PassHistory final : public Observer {
public:
    explicit PassHistory(Time start) : start_(start) {}

    void on_pass(const runtime::PassInput& input, const runtime::PassResult& result) override;

    /// Of a run that lasted to `end`; bands that have not ended reach there.
    History take(Duration end);

private:
    void see_levels(const runtime::PassInput& input, const runtime::PassResult& result);
    void see_back_offs(const engine::Memory& memory, Time now);
    /// As the page's time goes, which never goes back.
    Duration since_start(Time moment) const;

    const Time start_;
    Duration now_{0}, previous_{0};  ///< of the last two passes
    History history_{};
    /// By group, until when what is open now would last; nothing: without an end.
    std::map<std::string, std::optional<Duration>> open_;
};

}  // namespace capstan::simulation::page
