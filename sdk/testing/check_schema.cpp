// What a file says about itself: its entry, its classes and the settings they take.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <capstan/testing/responses.hpp>

#include <capstan/ascii.hpp>

#include "check_subject.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

bool is_identifier(std::string_view id) {
    return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) || c == '_';
    });
}

bool has_control(std::string_view s) {
    return std::any_of(s.begin(), s.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Calls `visit` for every field, with its path.
void for_each_field(capstan_array fields, const std::string& path,
                    const std::function<void(const capstan_field&, const std::string&)>& visit) {
    for (const capstan_field& field : View<capstan_field>(fields)) {
        const std::string here = path + std::string(text(field.key));
        visit(field, here);
        for_each_field(field.fields, here + ".", visit);
    }
}

void check_keys(capstan_array fields, const std::string& path,
                std::vector<std::string>& complaints) {
    std::set<std::string_view> seen;
    for (const capstan_field& field : View<capstan_field>(fields)) {
        const std::string_view key = text(field.key);
        const std::string where = "field \"" + path + std::string(key) + "\"";
        if (key.empty() || has_control(key))
            complaints.push_back(where + ": the key is empty or has control characters");
        if (!seen.insert(key).second) complaints.push_back(where + ": duplicate key");
        if (field.struct_size < sizeof(capstan_field)) {
            complaints.push_back(where + ": struct_size is " + std::to_string(field.struct_size));
        }
        check_keys(field.fields, path + std::string(key) + ".", complaints);
    }
}

void check_field(const capstan_field& f, const std::string& path,
                 std::vector<std::string>& complaints) {
    const auto complain = [&](std::string what) {
        complaints.push_back("field \"" + path + "\": " + std::move(what));
    };
    if (text(f.doc).empty()) complain("has no documentation");
    if (f.type < CAPSTAN_TYPE_STRING || f.type > CAPSTAN_TYPE_TABLE)
        complain("has the unknown type " + std::to_string(f.type));
    const auto has = [&f](std::uint32_t flag) { return (f.flags & flag) != 0; };
    if (has(CAPSTAN_FIELD_REQUIRED) && f.default_value.len != 0)
        complain("is required and has a default");
    if (f.type == CAPSTAN_TYPE_ENUM && f.allowed.count == 0)
        complain("is an enumeration without values");
    if (f.type == CAPSTAN_TYPE_TABLE && f.fields.count == 0) complain("is a table without members");
    if (f.type != CAPSTAN_TYPE_TABLE && f.fields.count != 0)
        complain("has members but is not a table");
}

void check_bounds(const capstan_field& f, const std::string& path,
                  std::vector<std::string>& complaints) {
    const auto complain = [&](std::string what) {
        complaints.push_back("field \"" + path + "\": " + std::move(what));
    };
    const bool has_min = (f.flags & CAPSTAN_FIELD_MIN) != 0;
    const bool has_max = (f.flags & CAPSTAN_FIELD_MAX) != 0;
    if (!has_min && f.min != 0) complain("has a min without CAPSTAN_FIELD_MIN");
    if (!has_max && f.max != 0) complain("has a max without CAPSTAN_FIELD_MAX");
    if (has_min && !std::isfinite(f.min)) complain("has a min that is not finite");
    if (has_max && !std::isfinite(f.max)) complain("has a max that is not finite");
    if (has_min && has_max && f.min > f.max) complain("has a min above its max");
    const bool is_measured = f.type == CAPSTAN_TYPE_INTEGER || f.type == CAPSTAN_TYPE_FLOAT ||
                             f.type == CAPSTAN_TYPE_DURATION || f.type == CAPSTAN_TYPE_QUANTITY;
    if ((has_min || has_max) && !is_measured)
        complain("has a min or max, but its type has no order");
}

Outcome check_class(const Subject& subject) {
    const capstan_class& c = *subject.of;
    std::vector<std::string> complaints;
    if (!is_identifier(text(c.class_id)))
        complaints.emplace_back("the id must be lower-case letters, digits and '_'");
    if (text(c.doc).empty()) complaints.emplace_back("no documentation");
    if (has_control(text(c.doc))) complaints.emplace_back("the documentation is not a single line");
    if (c.concurrency != CAPSTAN_CONCURRENCY_SERIAL &&
        c.concurrency != CAPSTAN_CONCURRENCY_PARALLEL) {
        complaints.push_back("unknown concurrency " + std::to_string(c.concurrency));
    }
    if (c.create == nullptr) complaints.emplace_back("no create function");
    return judged(complaints);
}

Outcome check_documented(const Subject& subject) {
    std::vector<std::string> complaints;
    check_keys(subject.of->fields, "", complaints);
    for_each_field(subject.of->fields, "",
                   [&](const capstan_field& field, const std::string& path) {
                       check_field(field, path, complaints);
                       check_bounds(field, path, complaints);
                   });
    if (!complaints.empty()) return judged(complaints);
    std::string required;
    for (const std::string& key : required_keys(subject.of->fields))
        required += (required.empty() ? "" : ", ") + key;
    return passed(required.empty() ? "" : "required: " + required);
}

Outcome check_defaults(const Subject& subject) {
    std::vector<std::string> complaints;
    int defaults = 0;
    for_each_field(
        subject.of->fields, "", [&](const capstan_field& field, const std::string& path) {
            const Result<Value> value = read_default(field);
            if (value) ++defaults;
            if (!value && value.error().code != ErrorCode::not_found) {
                complaints.push_back("default of \"" + path + "\": " + value.error().message);
            }
        });
    if (defaults == 0 && complaints.empty()) return not_applicable("no setting has a default");
    return judged(complaints);
}

/// Whether none were given, and nothing is refused that has a default: one of several keys may be
/// required, which no schema can say.
bool lacks_settings(const Subject& subject, const std::vector<Rejection>& rejections) {
    const bool is_of_the_whole =
        std::all_of(rejections.begin(), rejections.end(),
                    [](const Rejection& rejection) { return rejection.path.empty(); });
    return !rejections.empty() && is_of_the_whole &&
           !subject.options.settings.contains(subject.id());
}

Outcome check_own_check(const Subject& subject) {
    if (!CAPSTAN_HAS(subject.of, capstan_class, check))
        return not_applicable("the class has no check function");
    Result<FakeSettings> settings = subject.settings();
    if (!settings) return not_applicable("no settings: " + settings.error().message);
    const FakeCall call;
    const capstan_status status = subject.of->check(settings->raw(), call.raw());
    std::vector<std::string> complaints = status_faults(status, call);
    if (complaints.empty() && lacks_settings(subject, settings->rejections()))
        return not_applicable("no settings: " + settings->rejections().front().why);
    for (const Rejection& r : settings->rejections())
        complaints.push_back("rejected " + r.path + ": " + r.why);
    if (status != CAPSTAN_OK && settings->rejections().empty()) {
        complaints.push_back("rejected the settings (" + std::string(name_of(error_code(status))) +
                             ") without a reason");
    }
    return judged(complaints);
}

}  // namespace

void add_class_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "class/described", check_class);
}

void add_schema_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "schema/documented", check_documented);
    add(checks, subject, "schema/defaults", check_defaults);
    add(checks, subject, "schema/check", check_own_check);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
