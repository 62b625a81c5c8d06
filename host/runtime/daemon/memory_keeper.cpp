#include "runtime/daemon/memory_keeper.hpp"

#include <utility>

#include "runtime/record/memory_text.hpp"

namespace capstan::runtime::daemon {
namespace {

constexpr const char* key = "memory";
constexpr const char* aside_key = "unreadable-memory";
constexpr std::string_view state_prefix = "state.";

/// The leader that stopped may have done more than it could save.
engine::Memory for_a_start(engine::Memory memory) {
    memory.started = false;
    return memory;
}

std::size_t room_beside(std::size_t aside) {
    return aside < record::config_map_bytes ? record::config_map_bytes - aside : 0;
}

}  // namespace

Result<engine::Memory> find_memory(const kubernetes::client::ConfigMap& map,
                                   const kubernetes::client::ConfigMapName& name,
                                   const std::optional<engine::PassTime>& read) {
    const auto text = map.data.find(key);
    if (text == map.data.end()) return engine::Memory();
    return record::parse_memory(text->second, "ConfigMap " + name.ns + "/" + name.name, read);
}

MemoryKeeper::MemoryKeeper(kubernetes::client::Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)),
      clock_(loop.clock()),
      room_(record::config_map_bytes),
      maps_(api, loop, options_.seed) {}

void MemoryKeeper::load(Loaded done) {
    saved_.clear();
    maps_.read(options_.name,
               [this, done = std::move(done)](Result<kubernetes::client::ConfigMap> map) mutable {
                   take(std::move(map), std::move(done));
               });
}

void MemoryKeeper::take(Result<kubernetes::client::ConfigMap> map, Loaded done) {
    if (!map && map.error().code == ErrorCode::not_found) return done(PersistedState{});
    if (!map) return done(fail(within("memory", std::move(map).error())));
    const auto aside = map->data.find(aside_key);
    if (aside != map->data.end()) room_ = room_beside(aside->second.size());
    saved_ = map->data;
    PersistedState persisted;
    for (const auto& [name, text] : map->data)
        if (name.starts_with(state_prefix))
            persisted.states.emplace(name.substr(state_prefix.size()), text);
    const auto text = map->data.find(key);
    if (text == map->data.end()) return done(std::move(persisted));
    Result<engine::Memory> memory =
        find_memory(*map, options_.name, engine::PassTime(clock_->now(), clock_->wall()));
    if (!memory)
        return put_aside(std::move(persisted), text->second, memory.error(), std::move(done));
    persisted.memory = for_a_start(*std::move(memory));
    persisted.text = text->second;
    done(std::move(persisted));
}

void MemoryKeeper::put_aside(PersistedState persisted, const std::string& text, const Error& why,
                             Loaded done) {
    // Half of the room is enough for people to see what it is.
    const std::string kept = text.substr(0, record::config_map_bytes / 2);
    room_ = room_beside(kept.size());
    const std::string where = " (copy in key " + std::string(aside_key) + ")";
    if (options_.on_unreadable)
        options_.on_unreadable(
            "data for a restart cannot be read, starting without it: " + why.message + where);
    maps_.write(options_.name, {.data = {{aside_key, kept}, {key, std::nullopt}}},
                [this, persisted = std::move(persisted),
                 done = std::move(done)](const Result<kubernetes::client::ConfigMap>& written) {
                    if (!written && options_.on_unreadable)
                        options_.on_unreadable("cannot keep a copy of the unreadable data: " +
                                               written.error().message);
                    done(persisted);
                });
}

void MemoryKeeper::save(std::string memory, const std::map<std::string, std::string>& states,
                        Done done) {
    std::map<std::string, std::string> next{{key, std::move(memory)}};
    for (const auto& [instance, text] : states)
        next.emplace(std::string(state_prefix) + instance, text);
    kubernetes::client::ConfigMapChange change;
    for (const auto& [name, text] : next) {
        const auto at = saved_.find(name);
        if (at == saved_.end() || at->second != text) change.data.emplace(name, text);
    }
    if (change.data.empty()) return done({});
    maps_.write(
        options_.name, std::move(change),
        [this, done = std::move(done)](const Result<kubernetes::client::ConfigMap>& written) {
            // A write that failed may have come through all the same.
            saved_ = written ? written->data : std::map<std::string, std::string>();
            if (!written) return done(fail(written.error()));
            done({});
        });
}

}  // namespace capstan::runtime::daemon
