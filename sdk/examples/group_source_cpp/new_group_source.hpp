/// One group of each machine type that holds one of the pods, in the first place where it is on
/// offer, called "pool-" and the type.
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

/// Lower-case letters, digits and '-': what every cloud takes.
std::string name_of_pool(std::string_view machine_type);
