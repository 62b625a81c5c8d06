/// What an API object is called, also one that cannot be decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace capstan::kubernetes {

struct ObjectKind;

struct ObjectName {
    std::string ns{};  ///< empty where the kind has none
    std::string name{};
};
/// "shop/web", or the name alone.
std::string to_string(const ObjectName& name);

/// Nothing: it does not say.
std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object);

}  // namespace capstan::kubernetes
