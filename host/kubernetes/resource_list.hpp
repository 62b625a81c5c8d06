/// Amounts of resources by name, as in `requests`, `limits`, `capacity` and `allocatable`.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <capstan/quantity.hpp>
#include <capstan/resources.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// Exact amounts. Sums are made of these, because Resources holds rounded amounts.
using Quantities = std::map<std::string, Quantity, std::less<>>;

/// A malformed or negative quantity is a problem, and is left out.
Quantities decode_quantities(const JsonCursor& list);
Resources rounded(const Quantities& quantities);
/// Bytes of a single quantity, rounded up; zero when absent.
std::int64_t decode_bytes(const JsonCursor& quantity);

}  // namespace capstan::kubernetes
