/// Whether a cloud says what it said before, found out without copying it.
#pragma once

#include <capstan/abi/cloud.h>
#include <capstan/cloud_view.hpp>

namespace capstan::runtime {

/// True: raising `raw` would give `known`, which was raised itself. False leaves it open: what
/// carries errors, or tags out of order, is to be raised. Reads no more of `raw` than raising does,
/// and after the same checks. [any thread]
bool is_unchanged(const capstan_cloud_view& raw, const CloudView& known);

}  // namespace capstan::runtime
