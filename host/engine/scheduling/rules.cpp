#include "engine/scheduling/rules.hpp"

#include <utility>

#include "engine/scheduling/compiled.hpp"

namespace capstan::engine {

Rules::Rules(Cluster cluster, std::vector<ClassId> subjects, std::vector<NodeShape> shapes,
             std::vector<bool> absent)
    : compiled_(std::make_unique<Compiled>(std::move(cluster), std::move(subjects),
                                           std::move(shapes), std::move(absent))) {}
Rules::Rules(Rules&&) noexcept = default;
Rules& Rules::operator=(Rules&&) noexcept = default;
Rules::~Rules() = default;

const Cluster& Rules::cluster() const noexcept { return compiled_->cluster; }
std::span<const ClassId> Rules::subjects() const noexcept { return compiled_->subjects; }
std::span<const NodeShape> Rules::shapes() const noexcept { return compiled_->shapes; }
ShapeId Rules::alike(ShapeId shape) const noexcept { return compiled_->alike[shape]; }
ShapeId Rules::kin(ShapeId shape) const noexcept { return compiled_->kin[shape]; }

std::span<const std::int64_t> Rules::free(ShapeId shape) const noexcept {
    return compiled_->shape_row(shape);
}

bool Rules::looks_at_pods(Subject subject) const noexcept {
    return compiled_->pods.find(subject) != nullptr;
}

std::span<const Request> Rules::requests(Subject subject) const noexcept {
    return compiled_->requests.requests(subject);
}

}  // namespace capstan::engine
