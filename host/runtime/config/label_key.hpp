/// Keys of labels, as the Kubernetes API takes them.
#pragma once

#include <string_view>

namespace capstan::runtime {

/// A name of at most 63 letters, digits, '-', '_' and '.', behind a domain and a '/' if it has one.
bool is_label_key(std::string_view text);

}  // namespace capstan::runtime
