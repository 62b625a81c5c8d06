#include "kubernetes/resource_list.hpp"

#include <optional>

namespace capstan::kubernetes {
namespace {

std::optional<Quantity> decode_amount(const JsonCursor& place) {
    const std::optional<Quantity> quantity = place.quantity();
    if (!quantity || quantity->sign() >= 0) return quantity;
    place.complain("is negative (" + to_string(*quantity) + ")");
    return std::nullopt;
}

}  // namespace

Quantities decode_quantities(const JsonCursor& list) {
    Quantities out;
    for (const JsonCursor& member : list.members()) {
        if (const auto quantity = decode_amount(member)) out.emplace(member.key(), *quantity);
    }
    return out;
}

Resources rounded(const Quantities& quantities) {
    Resources out;
    for (const auto& [resource, quantity] : quantities)
        out.set(resource, amount_of(resource, quantity));
    return out;
}

std::int64_t decode_bytes(const JsonCursor& quantity) {
    return decode_amount(quantity).value_or(Quantity()).value();
}

}  // namespace capstan::kubernetes
