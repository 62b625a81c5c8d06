/// Renames keys, and codes of reasons, of version 1 of a format to those of version 2, so that old
/// records and memories can be read.
///
///     {"memory":{"make_backoffs":[...]}}   ->   {"memory":{"offering_backoffs":[...]}}
///
/// Version 2 has no other change, so a document of version 1 is converted before it is read. No
/// other code knows the old names.
#pragma once

#include <boost/json/value.hpp>

namespace capstan::runtime::record {

/// For a memory text of version 1 (memory_text.hpp).
void rename_older_memory_keys(boost::json::value& document);
/// For a pass record of version 1 (pass_record.hpp), including both memories in it.
void rename_older_record_keys(boost::json::value& document);

}  // namespace capstan::runtime::record
