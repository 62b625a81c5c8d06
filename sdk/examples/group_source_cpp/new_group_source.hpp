/// Suggests one group for each machine type that one of the pods fits on, in the zone of the type's
/// first offering. The name of the group is "pool-" and the type.
#pragma once

#include <string>
#include <string_view>

#include <capstan/group_source.hpp>

class NewGroupSource {
public:
    void suggest(const capstan::Call& call, const capstan::GroupSourceRequest& request,
                 const capstan::GroupSuggestions& suggest) const;
    bool owns(const capstan::Call& call, const capstan::GroupView& group) const;
};

/// The name of a group, of lower-case letters, digits and '-', which every cloud accepts.
std::string name_of_pool(std::string_view machine_type);
