/// Types for ids, which do not convert to each other: a NodeGroupId is not a NodeName, and neither
/// is a string.
#pragma once

#include <compare>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class Tag>
class Id {
public:
    Id() = default;
    explicit Id(std::string value) : value_(std::move(value)) {}
    explicit Id(std::string_view value) : value_(value) {}
    explicit Id(const char* value) : value_(value) {}

    const std::string& value() const noexcept { return value_; }
    bool empty() const noexcept { return value_.empty(); }
    friend bool operator==(const Id&, const Id&) = default;
    friend auto operator<=>(const Id&, const Id&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Id& id) { return out << id.value_; }

private:
    std::string value_;
};

using NodeGroupId = Id<struct NodeGroupIdTag>;
using NodeName = Id<struct NodeNameTag>;
/// The cloud's id of a machine; equals the node's spec.providerID.
using MachineId = Id<struct MachineIdTag>;
/// The ID of a `[plugin.ID]` table of the configuration.
using PluginInstanceId = Id<struct PluginInstanceIdTag>;

CAPSTAN_NAMESPACE_END

template <class Tag>
struct std::hash<capstan::Id<Tag>> {
    std::size_t operator()(const capstan::Id<Tag>& id) const noexcept {
        return std::hash<std::string>{}(id.value());
    }
};
