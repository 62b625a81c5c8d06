/// When each fault of an input comes, and when it is over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <capstan/time.hpp>

#include "simulation/fault.hpp"

namespace capstan::simulation {

/// A fault that comes or ends now.
struct FaultEvent {
    FaultKind kind = FaultKind::stock_out;
    std::string group{};  ///< empty for faults about no group
    std::string cloud{};  ///< empty: of faults about clouds, one that chance names
    Duration lasts{0};
    bool begins = true;        ///< false: it is over
    std::uint64_t chance = 0;  ///< random, for whoever has to choose among several
    bool operator==(const FaultEvent&) const = default;
};

/// Whether it is over as soon as it has come.
bool is_brief(FaultKind kind) noexcept;
/// Whether it is about one group.
bool is_about_group(FaultKind kind) noexcept;
/// Whether it is about one cloud.
bool is_about_cloud(FaultKind kind) noexcept;

/// The same seed, the same faults, whatever else happens.
class Faults {
public:
    Faults(std::vector<Fault> faults, Time start, std::uint64_t seed);

    /// Nothing: nothing comes or ends any more.
    std::optional<Time> next_due() const;
    /// What comes and ends until `now`, ends first. `groups`: those there are, of which chance
    /// names one where a fault names none; without any such a fault does not come.
    std::vector<FaultEvent> take_due(Time now, const std::vector<std::string>& groups);

private:
    struct Source {
        Fault fault{};
        std::uint64_t slot = 0;      ///< how many of its moments have passed
        std::optional<Time> next{};  ///< nothing: it comes no more
    };
    using Active = std::tuple<FaultKind, std::string, std::string>;  ///< kind, group, cloud

    std::uint64_t random(std::size_t source, std::uint64_t slot, std::uint64_t use) const;
    void find_next(std::size_t source);
    void begin(const Source& source, std::uint64_t chance, Time now,
               const std::vector<std::string>& groups, std::vector<FaultEvent>& out);

    const Time start_;
    const std::uint64_t seed_;
    std::vector<Source> sources_;
    std::map<Active, Time> active_;  ///< until when
};

}  // namespace capstan::simulation
