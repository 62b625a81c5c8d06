#include "autoscaler/daemon/memory_maps.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/describe.hpp>

#include <capstan/assert.hpp>
#include <capstan/hash.hpp>
#include <capstan/utf8.hpp>

#include "autoscaler/record/json_form.hpp"
#include "autoscaler/record/memory_text.hpp"

namespace capstan::autoscaler::daemon {

/// Where the rest of the text is.
struct MemoryRest {
    int parts = 0;
    std::string key{};   ///< of the parts
    std::string hash{};  ///< of the whole text
    bool operator==(const MemoryRest&) const = default;
};
BOOST_DESCRIBE_STRUCT(MemoryRest, (), (parts, key, hash))

namespace {

constexpr const char* memory_key = "memory";
constexpr const char* rest_key = "memory-rest";
constexpr const char* part_keys[] = {"memory-a", "memory-b"};

std::string describe_map(const kubernetes::client::ConfigMapName& name) {
    return "ConfigMap " + name.ns + "/" + name.name;
}

std::string whole_hash(std::string_view text) { return std::to_string(fnv1a64(text)); }

std::string rest_text(const MemoryRest& rest) {
    record::JsonText out;
    record::write_json(out, rest);
    return out.take();
}

Result<MemoryRest> parse_rest(const std::string& text) {
    CAPSTAN_TRY(const boost::json::value document, record::parse_json(text, rest_key));
    kubernetes::JsonProblems problems(document);
    auto rest = record::read_json<MemoryRest>(problems.root());
    CAPSTAN_CHECK(record::check_problems(problems, rest_key));
    if (rest.parts < 1 || rest.parts > MemoryMaps::parts_max)
        return fail(ErrorCode::invalid_argument, std::string(rest_key) + ": /parts: expects 1 to " +
                                                     std::to_string(MemoryMaps::parts_max));
    return rest;
}

/// The beginning of at most `first` bytes, then parts.
std::vector<std::string> cut_into_pieces(std::string_view text, std::size_t first) {
    std::vector<std::string> out;
    for (std::size_t limit = first; out.empty() || !text.empty(); limit = MemoryMaps::part_max) {
        out.emplace_back(beginning_of(text, limit));
        text.remove_prefix(out.back().size());
    }
    return out;
}

}  // namespace

struct MemoryMaps::Reading {
    Content content;
    MemoryRest rest;
    Read done;

    void give_up(std::string because) {
        content.broken_because = std::move(because);
        done(std::move(content));
    }
};

struct MemoryMaps::Writing {
    std::string text;
    kubernetes::client::ConfigMapChange::Values others;
    Done done;
    std::vector<std::string> pieces{};                     ///< the first one is for NAME
    std::string key{};                                     ///< of the others
    kubernetes::client::ConfigMapChange::Values change{};  ///< of NAME
};

std::string MemoryMaps::name_of_part(const std::string& name, int part) {
    return name + "-" + std::to_string(part);
}

kubernetes::client::ConfigMapName MemoryMaps::part(int number) const {
    return {name_.ns, name_of_part(name_.name, number)};
}

void MemoryMaps::read(Read done) {
    data_.reset();
    parts_there_.reset();
    maps_.read(name_,
               [this, done = std::move(done)](Result<kubernetes::client::ConfigMap> map) mutable {
                   if (!map && map.error().code != ErrorCode::not_found)
                       return done(fail(std::move(map).error()));
                   data_ = map ? std::move(map->data) : std::map<std::string, std::string>();
                   const auto reading =
                       std::make_shared<Reading>(Reading{{.others = *data_}, {}, std::move(done)});
                   Content& content = reading->content;
                   if (auto memory = content.others.extract(memory_key); !memory.empty())
                       content.memory = std::move(memory.mapped());
                   const auto rest_node = content.others.extract(rest_key);
                   if (rest_node.empty()) return reading->done(std::move(content));
                   Result<MemoryRest> rest = parse_rest(rest_node.mapped());
                   if (!rest)
                       return reading->give_up(describe_map(name_) + ": " + rest.error().message);
                   reading->rest = *std::move(rest);
                   read_part(reading, 1);
               });
}

void MemoryMaps::read_part(const std::shared_ptr<Reading>& reading, int number) {
    Content& content = reading->content;
    if (number > reading->rest.parts) {
        if (whole_hash(content.memory) != reading->rest.hash)
            return reading->give_up(describe_map(name_) +
                                    " and its parts are of different versions");
        return reading->done(std::move(content));
    }
    maps_.read(part(number), [this, reading, number](Result<kubernetes::client::ConfigMap> map) {
        if (!map && map.error().code != ErrorCode::not_found)
            return reading->done(fail(std::move(map).error()));
        if (!map) return reading->give_up(describe_map(part(number)) + " is missing");
        const auto at = map->data.find(reading->rest.key);
        if (at == map->data.end())
            return reading->give_up(describe_map(part(number)) + " has no " + reading->rest.key);
        reading->content.memory += at->second;
        read_part(reading, number + 1);
    });
}

void MemoryMaps::write(std::string memory, kubernetes::client::ConfigMapChange::Values others,
                       Done done) {
    const auto writing =
        std::make_shared<Writing>(Writing{std::move(memory), std::move(others), std::move(done)});
    if (data_) return begin(writing);
    maps_.read(name_, [this, writing](Result<kubernetes::client::ConfigMap> map) {
        if (!map && map.error().code != ErrorCode::not_found)
            return writing->done(fail(std::move(map).error()));
        data_ = map ? std::move(map->data) : std::map<std::string, std::string>();
        begin(writing);
    });
}

void MemoryMaps::begin(const std::shared_ptr<Writing>& writing) {
    CAPSTAN_ASSERT(data_, "the ConfigMap is not known");
    std::map<std::string, std::string> others = *data_;
    others.erase(memory_key);
    others.erase(rest_key);
    for (const auto& [key, value] : writing->others) {
        if (value) {
            others[key] = *value;
        } else {
            others.erase(key);
        }
    }
    std::size_t taken = 0;
    for (const auto& [key, value] : others) taken += value.size();
    const std::size_t room = first_max - std::min(taken, first_max);
    writing->pieces = cut_into_pieces(writing->text, room);
    const auto parts = static_cast<int>(writing->pieces.size()) - 1;
    if (parts > parts_max)
        return writing->done(fail(
            ErrorCode::quota, "memory has " + std::to_string(writing->text.size()) +
                                  " bytes; there is room for " + std::to_string(room + rest_max)));

    const auto value_of = [this](const char* key) -> std::optional<std::string> {
        const auto at = data_->find(key);
        return at == data_->end() ? std::nullopt : std::optional(at->second);
    };
    writing->change = writing->others;
    writing->change[memory_key] =
        writing->text.empty() ? std::nullopt : std::optional(writing->pieces.front());
    MemoryRest rest{.parts = parts, .key = part_keys[0], .hash = whole_hash(writing->text)};
    const std::optional<std::string> before = value_of(rest_key);
    const Result<MemoryRest> rest_before =
        before ? parse_rest(*before) : Result<MemoryRest>(MemoryRest());
    if (rest_before && rest_before->key == rest.key) rest.key = part_keys[1];
    const bool is_same = rest_before && rest_before->hash == rest.hash &&
                         rest_before->parts == parts &&
                         value_of(memory_key) == writing->change[memory_key];
    if (is_same) rest.key = rest_before->key;
    writing->key = rest.key;
    writing->change[rest_key] = parts == 0 ? std::nullopt : std::optional(rest_text(rest));
    std::erase_if(writing->change,
                  [&](const auto& entry) { return value_of(entry.first.c_str()) == entry.second; });
    if (writing->change.empty()) return writing->done({});
    is_same ? write_first(writing) : write_part(writing, 1);
}

void MemoryMaps::write_part(const std::shared_ptr<Writing>& writing, std::size_t number) {
    if (number >= writing->pieces.size()) return write_first(writing);
    const int name = static_cast<int>(number);
    if (parts_there_) parts_there_ = std::max(*parts_there_, name);
    maps_.write(part(name), {.data = {{writing->key, std::move(writing->pieces[number])}}},
                [this, writing, number](const Result<kubernetes::client::ConfigMap>& written) {
                    if (!written) return writing->done(fail(written.error()));
                    write_part(writing, number + 1);
                });
}

void MemoryMaps::write_first(const std::shared_ptr<Writing>& writing) {
    data_.reset();
    maps_.write(name_, {.data = writing->change},
                [this, writing](Result<kubernetes::client::ConfigMap> written) {
                    if (!written) return writing->done(fail(std::move(written).error()));
                    data_ = std::move(written->data);
                    remove_surplus(writing);
                });
}

/// Removes the ConfigMaps that the text does not use, the last one first. What cannot be removed
/// now is removed after a later write.
void MemoryMaps::remove_surplus(const std::shared_ptr<Writing>& writing) {
    const auto used = static_cast<int>(writing->pieces.size()) - 1;
    if (!parts_there_) return find_surplus(writing, used + 1);
    if (*parts_there_ <= used) return writing->done({});
    maps_.remove(part(*parts_there_), [this, writing](const Result<void>& removed) {
        if (!removed && removed.error().code != ErrorCode::permission) return writing->done({});
        --*parts_there_;
        remove_surplus(writing);
    });
}

/// An earlier process may have stopped before it removed them. Without the right to read a
/// ConfigMap nothing was written to it either.
void MemoryMaps::find_surplus(const std::shared_ptr<Writing>& writing, int number) {
    const auto end = [this, writing, number] {
        parts_there_ = number - 1;
        remove_surplus(writing);
    };
    if (number > parts_max) return end();
    maps_.read(part(number),
               [this, writing, number, end](const Result<kubernetes::client::ConfigMap>& map) {
                   if (map) return find_surplus(writing, number + 1);
                   const ErrorCode code = map.error().code;
                   if (code == ErrorCode::not_found || code == ErrorCode::permission) return end();
                   writing->done({});
               });
}

}  // namespace capstan::autoscaler::daemon
