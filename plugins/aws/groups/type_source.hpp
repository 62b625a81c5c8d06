/// Instance types by name: from EC2, and where it does not tell, from a file or the built-in table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/single_flight.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../api/ec2.hpp"
#include "../templates/type_table.hpp"

namespace capstan::aws {

/// [strand] EC2 is asked for the types in use alone, all that are due in one call. What it told
/// holds for 20 minutes, and for a day where it cannot be asked again.
class TypeSource {
public:
    /// `asks_ec2`: false leaves it to the tables.
    TypeSource(const Host& host, Ec2Api& api, bool asks_ec2);

    /// In place of the built-in table.
    void use_table(TypeTable table) { table_ = std::move(table); }
    /// Types that groups have: the next reading has them, too.
    void want(const std::string& name);

    /// In the order of the names. An error names those that are not known anywhere.
    Task<std::vector<InstanceType>> get(std::vector<std::string> names);
    /// As it is known now; NULL: it is not.
    const InstanceType* find(const std::string& name) const;
    /// Another one whenever `find` may give another type.
    std::uint64_t version() const noexcept { return version_; }
    /// All of EC2's, for groups that could be made; of the table where it does not tell. The same
    /// again, where it is.
    Task<std::shared_ptr<const TypeTable>> get_all();

private:
    struct Entry {
        std::optional<InstanceType> type{};  ///< nothing: EC2 has no such type
        Duration due{}, stale{};
    };
    bool is_due(const std::string& name) const;
    std::vector<std::string> find_due(const std::vector<std::string>& names) const;
    /// Whether EC2 answered.
    Task<bool> read(std::vector<std::string> names);
    Task<bool> read_all();
    TypeTable make_table() const;
    const TypeTable& table() const { return table_ ? *table_ : TypeTable::built_in(); }
    void keep(const std::vector<std::string>& names, const std::vector<InstanceType>& told);
    void tell_table(const Error& error);

    const Host host_;
    Ec2Api& api_;
    const bool asks_ec2_;
    std::optional<TypeTable> table_{};
    std::map<std::string, Entry, std::less<>> entries_{};
    std::set<std::string> wanted_{};
    SingleFlight<bool> reading_;
    Duration failed_until_{};
    Duration all_due_{};  ///< zero: they were never read
    std::uint64_t version_ = 0;
    std::shared_ptr<const TypeTable> all_{};  ///< as they were told last
    std::uint64_t all_version_ = 0;
    bool all_is_of_ec2_ = false;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
