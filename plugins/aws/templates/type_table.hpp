/// Instance types by name: from EC2, and from a data file where EC2 does not tell.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// The file has `{"date": "2026-11-01", "types": [...]}`, each type with members named as those of
/// InstanceType (`prefix_delegation` is has_prefix_delegation); a name, cores and memory alone must
/// be there, and members that are not known are not looked at.
class TypeTable {
public:
    /// An error names the place in the file. `deploy/aws/make_instance_types` writes it.
    static Result<TypeTable> parse(std::string_view json);
    /// The table that is built in.
    static const TypeTable& built_in();
    static TypeTable of(std::vector<InstanceType> types, std::string date);

    /// NULL: not known.
    const InstanceType* find(std::string_view name) const noexcept;
    const std::map<std::string, InstanceType, std::less<>>& all() const noexcept { return types_; }
    const std::string& date() const noexcept { return date_; }  ///< when it was made: "2026-11-01"

private:
    std::map<std::string, InstanceType, std::less<>> types_{};
    std::string date_{};
};

}  // namespace capstan::aws
