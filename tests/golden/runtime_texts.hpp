/// Texts of the runtime that no run on virtual time shows.
#pragma once

namespace capstan::golden {

/// Prints log lines about plugins that fail or hang, and pages of the admin port, to standard
/// error.
void print_runtime_texts();

}  // namespace capstan::golden
