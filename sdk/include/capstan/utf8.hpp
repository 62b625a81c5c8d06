/// Whether bytes are UTF-8, as all text that crosses has to be, and making them so.
///
///     node.labels[key] = clean_utf8(tag, 63);
#pragma once

#include <capstan/detail/utf8.hpp>

CAPSTAN_NAMESPACE_BEGIN

using detail::clean_utf8;
using detail::is_utf8;

CAPSTAN_NAMESPACE_END
