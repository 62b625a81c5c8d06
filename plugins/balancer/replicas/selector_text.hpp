/// Label selectors as objects and as the text that Scales and queries carry.
#pragma once

#include <string>
#include <string_view>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/result.hpp>

namespace capstan::replicas {

/// metav1.LabelSelector; nothing in it holds for everything. `invalid_argument`: an expression that
/// Kubernetes would not take.
Result<LabelSelector> read_label_selector(const Json& object);

/// "app=web,tier in (a,b),!old,x notin (y)"; every requirement becomes an expression.
/// `invalid_argument`: it is none; the message shows the part.
Result<LabelSelector> parse_selector(std::string_view text);

/// As Kubernetes prints it: sorted by keys. Empty for the one that holds for everything.
std::string to_text(const LabelSelector& selector);

}  // namespace capstan::replicas
