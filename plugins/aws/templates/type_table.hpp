/// A table of instance types by name, from a data file, the built-in list, or EC2.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "../api/instance_type.hpp"

namespace capstan::aws {

/// The file has `{"date": "2026-11-01", "types": [...]}`. The members of each type are named like
/// those of InstanceType, except `prefix_delegation` for has_prefix_delegation. `name`, `vcpus` and
/// `memory_mib` are required; unknown members are ignored.
class TypeTable {
public:
    /// `deploy/aws/make_instance_types` writes the file. An error names the place in the file.
    static Result<TypeTable> parse(std::string_view json);
    static const TypeTable& built_in();
    static TypeTable of(std::vector<InstanceType> types, std::string date);

    /// NULL if the table has no such type.
    const InstanceType* find(std::string_view name) const noexcept;
    const std::map<std::string, InstanceType, std::less<>>& all() const noexcept { return types_; }
    const std::string& date() const noexcept { return date_; }  ///< when it was made: "2026-11-01"

private:
    std::map<std::string, InstanceType, std::less<>> types_{};
    std::string date_{};
};

}  // namespace capstan::aws
