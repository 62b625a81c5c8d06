/// What a simulation of a dump needs beside the objects of a snapshot.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "simulation/input.hpp"

namespace capstan::simulation::dump {

/// Reads the objects of a dump one after the other, each as its text stands.
class DumpFacts {
public:
    void see(std::string_view kind, const boost::json::value& object);

    /// Some objects of that kind are there, or the dump says that it was asked for.
    bool has_kind(std::string_view kind) const { return kinds_.contains(kind); }
    /// When it was taken; nothing: it does not say.
    std::optional<Time> taken_at() const noexcept { return taken_at_; }
    /// Bounds that cannot be read, a sentence each.
    const std::vector<std::string>& problems() const noexcept { return problems_; }
    std::vector<Budget> take_budgets() { return std::move(budgets_); }
    /// Adds which pods are not ready, and how many pods controllers want.
    void add_to(Objects& objects) &&;

private:
    void see_header(const boost::json::value& header);
    void see_pod(const boost::json::value& pod);
    void see_budget(const boost::json::value& budget);
    void see_controller(std::string_view kind, const boost::json::value& controller);

    std::set<std::string, std::less<>> kinds_;
    std::optional<Time> taken_at_;
    std::vector<std::string> problems_;
    std::vector<Budget> budgets_;
    std::set<std::string, std::less<>> unready_;
    /// By "namespace/kind/name"; `id` is that of the controller above, where there is one.
    std::map<std::string, ScaledController, std::less<>> controllers_;
};

/// An object of this kind, the first of a dump that `capstan dump` takes: its creationTimestamp is
/// the moment, its annotations say of each kind, by its name, what came of asking for it: "asked",
/// or why it is absent.
inline constexpr std::string_view dump_header_kind = "CapstanDump";
inline constexpr std::string_view asked_for = "asked";

/// The kinds that decisions need and that stand in none of these objects, as kubectl calls them.
std::vector<std::string> find_absent_kinds(const DumpFacts& facts);
/// "kubectl get nodes,pods,... -A -o json": takes all of them.
std::string dump_command();

}  // namespace capstan::simulation::dump
