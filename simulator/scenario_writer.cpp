#include "simulator/scenario_writer.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <capstan/sentence.hpp>

#include "config/text.hpp"
#include "config/toml_values.hpp"
#include "simulator/members_text.hpp"
#include "simulator/scenario_objects.hpp"

namespace capstan::simulator {
namespace {

using config::to_toml;
using config::toml_key;
using config::toml_string;
using config::TomlValue;
using Lines = std::vector<std::string>;
using Kind = TomlValue::Kind;

std::string assignment(std::string_view key, const std::string& value) {
    return toml_key(key) + " = " + value;
}

void append(Lines more, Lines& to) {
    for (std::string& line : more) to.push_back(std::move(line));
}

/// "\n[[node]]\n..." with a line for each member.
std::string block(const std::string& header, const Lines& members) {
    std::string out = "\n" + header + "\n";
    for (const std::string& member : members) out += member + "\n";
    return out;
}

// Tables of a configuration.

bool is_list_of_tables(const TomlValue& value) {
    return value.kind == Kind::array && !value.children.empty() &&
           std::ranges::all_of(value.children,
                               [](const TomlValue& item) { return item.kind == Kind::table; });
}

Lines table_lines(const TomlValue& table) {
    Lines out;
    for (const TomlValue& member : table.children)
        out.push_back(assignment(member.key, to_toml(member)));
    return out;
}

/// The table at `path` with its tables below it. Tables in lists are on one line.
std::string section_text(const std::string& path, const TomlValue& table) {
    Lines own;
    std::string below;
    for (const TomlValue& member : table.children) {
        const std::string member_path = config::join_path(path, member.key);
        if (member.kind == Kind::table) {
            below += section_text(member_path, member);
        } else if (is_list_of_tables(member)) {
            for (const TomlValue& item : member.children)
                below += block("[[" + member_path + "]]", table_lines(item));
        } else {
            own.push_back(assignment(member.key, to_toml(member)));
        }
    }
    // A table without members is there, too.
    return own.empty() && !below.empty() ? below : block("[" + path + "]", own) + below;
}

// Steps.

/// The order in which the actions of a step are applied.
enum class Rank : std::uint8_t {
    groups,
    remove_groups,
    change,
    cloud,
    reload,
    nodes,
    daemon_sets,
    edit,
    budgets,
    remove,
    scale,
    pods,
    bind,
    none,  ///< not written
};
constexpr std::array<std::string_view, 13> rank_keys{
    "groups", "remove_groups", "change", "cloud", "reload", "nodes", "daemon_sets",
    "edit",   "budgets",       "remove", "scale", "pods",   "bind"};

Result<Rank> rank_of(const ExternalEvent& event) {
    if (const auto* registration = std::get_if<Registration>(&event)) {
        // The reader makes it from the machine types of the group.
        if (!registration->types.empty()) return Rank::none;
        if (registration->group.empty())
            return fail(ErrorCode::unsupported, "a change of how machines of all groups join");
        return Rank::change;
    }
    if (std::holds_alternative<CloudEdit>(event)) return Rank::cloud;
    if (std::holds_alternative<AddGroup>(event)) return Rank::groups;
    if (std::holds_alternative<RemoveGroup>(event)) return Rank::remove_groups;
    if (std::holds_alternative<CloudChange>(event)) return Rank::change;
    if (std::holds_alternative<Reload>(event)) return Rank::reload;
    if (std::holds_alternative<engine::snapshot::NodeObject>(event)) return Rank::nodes;
    if (std::holds_alternative<engine::snapshot::DaemonSetObject>(event)) return Rank::daemon_sets;
    if (std::holds_alternative<NodeEdit>(event)) return Rank::edit;
    if (std::holds_alternative<Budget>(event)) return Rank::budgets;
    if (std::holds_alternative<Remove>(event)) return Rank::remove;
    if (std::holds_alternative<Scale>(event)) return Rank::scale;
    if (std::holds_alternative<PodBatch>(event)) return Rank::pods;
    if (std::holds_alternative<Bind>(event)) return Rank::bind;
    return fail(ErrorCode::unsupported, "an event of a kind that scenario files do not have");
}

/// The actions of one moment as one step, as far as they are in the order of a step.
class StepText {
public:
    /// False: the step would apply the action in another order, or has its key already.
    bool add(Rank rank, const ExternalEvent& event) {
        if (rank < last_) return false;
        const auto key = key_in_table(event);
        if (rank == last_ && key && std::ranges::count(keys_, *key) > 0) return false;
        if (rank != last_) keys_.clear();
        last_ = rank;
        if (key) keys_.push_back(*key);
        const auto at = std::ranges::find(lists_, rank, &List::rank);
        List& list = at != lists_.end() ? *at : lists_.emplace_back(List{rank, {}});
        append(std::visit([](const auto& what) { return text_of_event(what); }, event), list.items);
        return true;
    }
    bool is_empty() const { return lists_.empty(); }

    Lines lines() const {
        Lines out;
        for (const List& list : lists_) {
            const std::string_view key = rank_keys.at(static_cast<std::size_t>(list.rank));
            const bool is_table = list.rank == Rank::scale || list.rank == Rank::bind;
            if (is_table) {
                out.push_back(assignment(key, inline_table(list.items)));
            } else if (list.items.size() == 1) {
                out.push_back(assignment(key, inline_list(list.items)));
            } else {
                out.push_back(assignment(key, "["));
                for (const std::string& item : list.items) out.push_back("    " + item + ",");
                out.emplace_back("]");
            }
        }
        return out;
    }

private:
    struct List {
        Rank rank = Rank::none;
        Lines items{};
    };

    static std::optional<std::string> key_in_table(const ExternalEvent& event) {
        if (const auto* scale = std::get_if<Scale>(&event)) return scale->batch;
        if (const auto* bind = std::get_if<Bind>(&event)) return bind->pod;
        return std::nullopt;
    }

    static Lines text_of_event(const AddGroup& add) { return {to_toml(add.group)}; }
    static Lines text_of_event(const RemoveGroup& remove) { return {toml_string(remove.id)}; }
    static Lines text_of_event(const CloudChange& change) {
        Lines members{assignment("group", toml_string(change.group))};
        append(table_lines(change.change), members);
        return {inline_table(members)};
    }
    static Lines text_of_event(const Registration& registration) {
        Lines members{assignment("group", toml_string(registration.group))};
        append(members_text(registration), members);
        return {inline_table(members)};
    }
    static Lines text_of_event(const CloudEdit& edit) {
        Lines members, dropped;
        if (!edit.cloud.value().empty())
            members.push_back(assignment("id", toml_string(edit.cloud.value())));
        for (const std::string& key : edit.dropped) dropped.push_back(toml_string(key));
        if (!dropped.empty()) members.push_back(assignment("drop", inline_list(dropped)));
        append(table_lines(edit.settings), members);
        return {inline_table(members)};
    }
    static Lines text_of_event(const Reload& reload) {
        Lines out;
        for (const std::string& setting : reload.settings) out.push_back(toml_string(setting));
        return out;
    }
    static Lines text_of_event(const Remove& remove) { return {toml_string(remove.name)}; }
    static Lines text_of_event(const Scale& scale) {
        return {assignment(scale.batch, std::to_string(scale.replicas))};
    }
    static Lines text_of_event(const Bind& bind) {
        return {assignment(bind.pod, toml_string(bind.node))};
    }
    static Lines text_of_event(const auto& object) {
        if constexpr (requires { keys_of(object); }) {
            return {inline_table(members_text(keys_of(object)))};
        } else {
            return {inline_table(members_text(object))};
        }
    }

    Rank last_ = Rank::groups;
    Lines keys_{};
    std::vector<List> lists_{};
};

std::string duration_text(Duration duration) {
    return config::MemberType<Duration>::toml(duration);
}

Lines expectation_lines(const Expectations& expectations) {
    Expectations expected = expectations, usual;
    MemberCollector own, defaults;
    describe_expected(own, expected);
    describe_expected(defaults, usual);
    Lines out;
    for (std::size_t i = 0; i < own.members.size(); ++i) {
        if (own.members[i].second != defaults.members[i].second)
            out.push_back(assignment(own.members[i].first, own.members[i].second));
    }
    return out;
}

/// How long a step lasts.
Lines length_lines(const Step& step) {
    if (step.until_command) {
        const UntilCommand& until = *step.until_command;
        Lines out{
            assignment("until", toml_string(until.command.empty() ? "command" : until.command))};
        if (until.within != UntilCommand{}.within)
            out.push_back(assignment("within", duration_text(until.within)));
        return out;
    }
    if (!step.advance) return {assignment("until", toml_string("idle"))};
    if (*step.advance == Duration(0)) return {};
    return {assignment("advance", duration_text(*step.advance))};
}

class Writer {
public:
    explicit Writer(const Input& input) : input_(input) {}

    Result<std::string> text(const ScenarioExtras& extras) {
        CAPSTAN_CHECK(check());
        for (const std::string& remark : extras.remarks) out_ += "# " + remark + "\n";
        add_head();
        for (const TomlValue& section : extras.sections.children)
            out_ += section_text(toml_key(section.key), section);
        for (const CloudSettings& cloud : input_.clouds) add_cloud(cloud);
        add_objects();
        for (const SharedReplicas& shared : extras.balancers) add_table("balancer", shared);
        const std::vector<Action> rest = add_sets();
        for (const Fault& fault : input_.faults) add_table("fault", fault);
        if (const Lines judge = members_text(input_.judge); !judge.empty())
            out_ += block("[judge]", judge);
        CAPSTAN_CHECK(is_timed() ? add_moments(rest) : add_steps(rest));
        return std::move(out_);
    }

private:
    Result<void> check() const {
        if (input_.seed > INT_MAX)
            return fail(ErrorCode::unsupported, "a seed above " + std::to_string(INT_MAX));
        if (input_.clouds.size() > 1) return fail(ErrorCode::unsupported, "clouds of a dump");
        return {};
    }

    void add_head() {
        keys::Scenario head;
        head.title = input_.title;
        head.seed = static_cast<int>(input_.seed);
        if (input_.scan_interval != Input{}.scan_interval)
            head.scan_interval = input_.scan_interval;
        head.register_delay = input_.register_delay;
        head.ready_delay = input_.ready_delay;
        head.scheduler = input_.scheduler;
        head.scheduler_score = input_.scheduler_score;
        head.chaos = input_.chaos;
        if (input_.scheduler_spread) head.scheduler_spread = keys_of(*input_.scheduler_spread);
        for (const std::string& line : members_text(std::move(head))) out_ += line + "\n";
    }

    template <class Keys>
    void add_table(const std::string& key, Keys keys) {
        out_ += block("[[" + key + "]]", members_text(std::move(keys)));
    }

    void add_cloud(const CloudSettings& cloud) {
        Lines others;
        const TomlValue none;
        const TomlValue *groups = &none, *types = &none;
        for (const TomlValue& member : cloud.settings.children) {
            if (member.key == "groups") {
                groups = &member;
            } else if (member.key == "machine_types") {
                types = &member;
            } else {
                others.push_back(assignment(member.key, to_toml(member)));
            }
        }
        if (!others.empty()) out_ += block("[cloud]", others);
        for (const TomlValue& type : types->children)
            out_ += block("[[machine_type]]", table_lines(type));
        for (const TomlValue& group : groups->children) {
            Lines members = table_lines(group);
            for (const Registration& own : input_.registrations) {
                if (own.group == text_of(group, "id") && own.types.empty())
                    append(members_text(own), members);
            }
            out_ += block("[[group]]", members);
        }
    }

    void add_objects() {
        for (const auto& node : input_.objects.nodes) add_table("node", keys_of(node));
        for (const auto& set : input_.objects.daemon_sets) add_table("daemon_set", keys_of(set));
        for (const auto& service : input_.objects.services) add_table("service", keys_of(service));
        for (const Budget& budget : input_.budgets) add_table("budget", budget);
    }

    /// Writes the pods with which the first step begins as objects that exist from the start.
    /// Returns the other actions of the first step.
    std::vector<Action> add_sets() {
        if (input_.steps.empty()) return {};
        const std::vector<Action>& actions = input_.steps.front().actions;
        std::size_t next = 0;
        for (const Controller kind : {Controller::replica_set, Controller::stateful_set}) {
            for (; next < actions.size() && actions[next].after == Duration(0); ++next) {
                const auto* batch = std::get_if<PodBatch>(&actions[next].what);
                const bool is_set = batch != nullptr && batch->controller == kind && batch->count &&
                                    !batch->duration;
                if (!is_set) break;
                if (kind == Controller::replica_set) {
                    add_table("replica_set", keys::ReplicaSet{keys_of(*batch)});
                } else {
                    add_table("stateful_set", keys::StatefulSet{keys_of(*batch)});
                }
            }
        }
        return {actions.begin() + static_cast<std::ptrdiff_t>(next), actions.end()};
    }

    /// Whether steps are written with their times: actions come in the middle of a step, or the
    /// scenario is judged, so that its times count from the start as those of its faults.
    bool is_timed() const {
        const bool has_late = std::ranges::any_of(input_.steps, [](const Step& step) {
            return !step.actions.empty() && step.actions.back().after > Duration(0);
        });
        const bool has_lengths = std::ranges::all_of(
            input_.steps, [](const Step& step) { return step.advance.has_value(); });
        return has_late || (input_.judge.calm && has_lengths);
    }

    void add_step(const Lines& beginning, const StepText& actions, const Lines& end) {
        Lines lines = beginning;
        append(actions.lines(), lines);
        append(end, lines);
        out_ += block("[[step]]", lines);
    }

    /// Adds the action to `step`, which is written first if the action does not belong in it.
    Result<void> add_action(const Lines& beginning, const ExternalEvent& what, StepText& step) {
        Result<Rank> rank = rank_of(what);
        if (!rank) return fail(within("a scenario file cannot express", std::move(rank).error()));
        if (*rank == Rank::none || step.add(*rank, what)) return {};
        add_step(beginning, step, {});
        step = {};
        step.add(*rank, what);
        return {};
    }

    Result<void> add_steps(const std::vector<Action>& first) {
        for (const Step& step : input_.steps) {
            const bool is_first = &step == &input_.steps.front();
            StepText text;
            for (const Action& action : is_first ? first : step.actions)
                CAPSTAN_CHECK(add_action({}, action.what, text));
            Lines end = length_lines(step);
            append(expectation_lines(step.expect), end);
            add_step({}, text, end);
        }
        return {};
    }

    /// One step for each moment at which something happens or is expected, and for the end.
    Result<void> add_moments(const std::vector<Action>& first) {
        Duration begin{0}, last{0};
        for (const Step& step : input_.steps) {
            if (!step.advance)
                return fail(ErrorCode::unsupported,
                            "a scenario file cannot express actions in the middle of a step "
                            "without a length");
            const bool is_first = &step == &input_.steps.front();
            std::optional<Duration> moment;
            StepText text;
            for (const Action& action : is_first ? first : step.actions) {
                const Duration at = begin + action.after;
                if (moment && *moment != at) {
                    add_step(at_lines(*moment), text, {});
                    text = {};
                }
                moment = at;
                CAPSTAN_CHECK(add_action(at_lines(at), action.what, text));
            }
            const Lines expected = expectation_lines(step.expect);
            const bool is_last = &step == &input_.steps.back();
            if (moment || !expected.empty() || is_last) {
                last = moment.value_or(begin);
                Lines end;
                if (is_last) {
                    end = {assignment("advance", duration_text(begin + *step.advance - last))};
                }
                append(expected, end);
                add_step(at_lines(last), text, end);
            }
            begin += *step.advance;
        }
        return {};
    }

    static Lines at_lines(Duration moment) {
        if (moment == Duration(0)) return {};
        return {assignment("at", duration_text(moment))};
    }

    const Input& input_;
    std::string out_;
};

}  // namespace

Result<std::string> write_scenario(const Input& input, const ScenarioExtras& extras) {
    return Writer(input).text(extras);
}

}  // namespace capstan::simulator
