/// Instance types by name: from EC2, or from a file or the built-in table if EC2 does not answer.
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

/// [strand] EC2 is asked only for the types in use (by `get_all`: for all types), and for all due
/// types in one call. Answers are renewed after at most 20 minutes, and stay valid for another day
/// if they cannot be renewed.
class TypeSource {
public:
    /// `asks_ec2`: false takes all types from the table.
    TypeSource(const Host& host, Ec2Api& api, bool asks_ec2);

    /// Replaces the built-in table.
    void use_table(TypeTable table) { table_ = std::move(table); }
    /// Marks a type as in use: the next call to EC2 asks for it, too.
    void want(const std::string& name);

    /// The types in the order of the names, read if they are due. `not_found` names the types that
    /// neither EC2 nor the table has.
    Task<std::vector<InstanceType>> get(std::vector<std::string> names);
    /// The type as it is known now, without a call; NULL if it is unknown.
    const InstanceType* find(const std::string& name) const;
    /// Changes whenever `find` may give another type.
    std::uint64_t version() const noexcept { return version_; }
    /// All types of EC2, for auto-provisioning; those of the table if EC2 has never listed all
    /// types. Returns the same pointer as long as the types stay the same.
    Task<std::shared_ptr<const TypeTable>> get_all();

private:
    struct Entry {
        std::optional<InstanceType> type{};  ///< absent: EC2 has no such type
        Duration due{}, stale{};  ///< by host.monotonic(): renewed from `due`, unused from `stale`
    };
    bool is_due(const std::string& name) const;
    std::vector<std::string> find_due(const std::vector<std::string>& names) const;
    /// Whether EC2 answered.
    Task<bool> read(std::vector<std::string> names);
    Task<bool> read_all();
    TypeTable make_table() const;
    const TypeTable& table() const { return table_ ? *table_ : TypeTable::built_in(); }
    void keep(const std::vector<std::string>& names, const std::vector<InstanceType>& answer);
    void warn_of_table(const Error& error);

    const Host host_;
    Ec2Api& api_;
    const bool asks_ec2_;
    std::optional<TypeTable> table_{};
    std::map<std::string, Entry, std::less<>> entries_{};
    std::set<std::string> wanted_{};
    SingleFlight<bool> reading_;
    Duration failed_until_{};
    Duration all_due_{};  ///< when all types are due; zero: they were never read
    std::uint64_t version_ = 0;
    std::shared_ptr<const TypeTable> all_{};  ///< the last result of get_all
    std::uint64_t all_version_ = 0;
    bool all_is_of_ec2_ = false;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
