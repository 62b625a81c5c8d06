/// What version 1 of a format called otherwise, so that records and memories of it are still read.
///
///     {"memory":{"make_backoffs":[...]}}   ->   {"memory":{"offering_backoffs":[...]}}
///
/// A version that only renames keys is read by renaming them in the document. Nothing else of the
/// reader knows the older names.
#pragma once

#include <boost/json/value.hpp>

namespace capstan::runtime::record {

/// Of a text of version 1 (memory_text.hpp).
void rename_older_memory_keys(boost::json::value& document);
/// Of a record of version 1 (pass_record.hpp), and of both memories in it.
void rename_older_record_keys(boost::json::value& document);

}  // namespace capstan::runtime::record
