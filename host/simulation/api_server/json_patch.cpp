#include "simulation/api_server/json_patch.hpp"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace capstan::simulation {
namespace {

using Steps = std::vector<std::string>;

Refusal unfit(const std::string& why) {
    return {
        422, "Invalid", "the server rejected our request due to an error in our request: " + why,
        {},  {},        {}};
}

/// One step of a JSON pointer, "~1" and "~0" read as what they stand for.
std::string unescaped_step(std::string_view step) {
    std::string out;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size();
        out += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return out;
}

Answer<Steps> parse_pointer(std::string_view pointer) {
    Steps out;
    if (pointer.empty()) return out;
    if (pointer.front() != '/')
        return fail(unfit("path " + std::string(pointer) + " does not start with /"));
    for (pointer.remove_prefix(1);;) {
        const std::size_t slash = pointer.find('/');
        out.push_back(unescaped_step(pointer.substr(0, slash)));
        if (slash == std::string_view::npos) return out;
        pointer.remove_prefix(slash + 1);
    }
}

/// Nothing: `step` is no index up to `limit`.
std::optional<std::size_t> index_of(const std::string& step, std::size_t limit) {
    std::size_t out = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), out);
    if (error != std::errc() || end != step.data() + step.size() || out > limit)
        return std::nullopt;
    return out;
}

/// NULL: not there.
json::value* find_step(json::value& at, const std::string& step) {
    if (json::object* object = at.if_object()) return object->if_contains(step);
    json::array* list = at.if_array();
    if (list == nullptr || list->empty()) return nullptr;
    const auto index = index_of(step, list->size() - 1);
    return index ? &(*list)[*index] : nullptr;
}

json::value* find_place(json::value& document, const Steps& steps, std::size_t count) {
    json::value* at = &document;
    for (std::size_t i = 0; i < count && at != nullptr; ++i) at = find_step(*at, steps[i]);
    return at;
}

Refusal missing(const std::string& path) { return unfit("path " + path + " is not there"); }

Answer<void> add(json::value& document, const std::string& path, const Steps& steps,
                 json::value value) {
    if (steps.empty()) {
        document = std::move(value);
        return {};
    }
    json::value* parent = find_place(document, steps, steps.size() - 1);
    if (parent == nullptr) return fail(missing(path));
    if (json::object* object = parent->if_object()) {
        (*object)[steps.back()] = std::move(value);
        return {};
    }
    json::array* list = parent->if_array();
    if (list == nullptr) return fail(missing(path));
    const auto index =
        steps.back() == "-" ? std::optional(list->size()) : index_of(steps.back(), list->size());
    if (!index) return fail(missing(path));
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
}

Answer<json::value> take(json::value& document, const std::string& path, const Steps& steps) {
    json::value* found = steps.empty() ? nullptr : find_place(document, steps, steps.size());
    if (found == nullptr) return fail(missing(path));
    json::value out = std::move(*found);
    json::value* parent = find_place(document, steps, steps.size() - 1);
    if (json::object* object = parent->if_object()) {
        object->erase(steps.back());
    } else {
        parent->get_array().erase(
            parent->get_array().begin() +
            static_cast<std::ptrdiff_t>(*index_of(steps.back(), parent->get_array().size())));
    }
    return out;
}

Answer<json::value> source(json::value& document, const json::object& operation, bool moves) {
    const std::string from(text_at(operation, "from"));
    CAPSTAN_TRY(const Steps steps, parse_pointer(from));
    if (moves) return take(document, from, steps);
    const json::value* found = find_place(document, steps, steps.size());
    if (found == nullptr) return fail(missing(from));
    return *found;
}

Answer<void> replace_or_test(json::value& document, const std::string& path, const Steps& steps,
                             const json::value& value, bool tests) {
    json::value* found = find_place(document, steps, steps.size());
    if (found == nullptr && !(tests && value.is_null())) return fail(missing(path));
    if (!tests) {
        *found = value;
    } else if (found != nullptr && *found != value) {
        return fail(unfit("testing path " + path + " failed"));
    }
    return {};
}

Answer<void> apply_one(json::value& document, const json::object& operation) {
    const std::string_view op = text_at(operation, "op");
    const std::string path(text_at(operation, "path"));
    CAPSTAN_TRY(const Steps steps, parse_pointer(path));
    if (op == "remove") {
        CAPSTAN_TRY(const json::value taken, take(document, path, steps));
        return {};
    }
    if (op == "move" || op == "copy") {
        CAPSTAN_TRY(json::value moved, source(document, operation, op == "move"));
        return add(document, path, steps, std::move(moved));
    }
    const json::value* value = operation.if_contains("value");
    if (value == nullptr) return fail(unfit("operation " + std::string(op) + " without a value"));
    if (op == "add") return add(document, path, steps, *value);
    if (op == "replace" || op == "test")
        return replace_or_test(document, path, steps, *value, op == "test");
    return fail(unfit("there is no operation \"" + std::string(op) + "\""));
}

}  // namespace

Answer<void> apply_json_patch(json::value& document, const json::array& operations) {
    for (const json::value& operation : operations) {
        if (!operation.is_object()) return fail(unfit("an operation is no object"));
        CAPSTAN_CHECK(apply_one(document, operation.get_object()));
    }
    return {};
}

void apply_merge_patch(json::value& document, const json::value& patch) {
    const json::object* changes = patch.if_object();
    if (changes == nullptr) {
        document = patch;
        return;
    }
    if (!document.is_object()) document.emplace_object();
    json::object& object = document.get_object();
    for (const auto& [key, value] : *changes) {
        if (value.is_null()) {
            object.erase(key);
        } else {
            apply_merge_patch(object[key], value);
        }
    }
}

}  // namespace capstan::simulation
