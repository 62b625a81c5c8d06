/// What so many new nodes of a shape would do for the pods that wait, worked out once for all
/// groups whose nodes no pod can tell apart, and again only when something has changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <capstan/scale_up_option.hpp>

#include "engine/scale_up/estimate.hpp"
#include "engine/scale_up/size_order.hpp"

namespace capstan::engine {

struct Prospect {
    int nodes = 0;
    std::vector<Demand> helped{};  ///< in the order they are packed
    PodShares shares{};            ///< the same for plugins, by class
    Resources requested{};         ///< the sum over those pods
    std::uint32_t pods = 0;
};

/// Borrows the placement.
class Prospects {
public:
    /// `places` by subject: the number under which plugins know it.
    Prospects(Placement& placement, std::vector<std::uint32_t> places);

    /// `pods`: those to be helped from now on, by subject.
    void begin_round(const std::vector<int>& pods);
    /// Works several out, and spares itself those between a smaller and a larger node that both
    /// come to the same: what fits on the smaller fits on theirs.
    void prepare(std::vector<ShapeId> shapes, int max_nodes);
    /// With at most `max_nodes` nodes. Never NULL.
    std::shared_ptr<const Prospect> of(ShapeId shape, int max_nodes);

private:
    /// Who may go on nodes of a shape, largest first, and what is known of them.
    struct Takers {
        SizeOrder subjects{};
        bool look_at_pods = false;  ///< one of them does
    };
    struct Kept {
        std::shared_ptr<const Prospect> prospect{};
        int made_in = 0, used_in = 0;  // rounds
    };
    /// Those between the first and the last, both worked out.
    void prepare_between(std::span<const ShapeId> kin, int max_nodes);
    Takers& takers(ShapeId shape);
    bool is_current(const Kept& kept, const Takers& takers) const;
    Prospect work_out(ShapeId shape, Takers& takers, int max_nodes);
    void drop(const std::vector<Subject>& refused, Takers& takers) const;
    PodShares shares_of(const std::vector<Demand>& pods) const;
    Resources requested_by(const std::vector<Demand>& pods) const;

    Placement* placement_;
    std::vector<std::uint32_t> places_;
    SizeOrders orders_;
    int round_ = 0;
    std::vector<int> pods_;        // by subject
    std::vector<int> changed_in_;  // by subject: the round
    std::map<ShapeId, Takers> takers_;
    std::map<std::pair<ShapeId, int>, Kept> kept_;  // by shape and most nodes
};

}  // namespace capstan::engine
