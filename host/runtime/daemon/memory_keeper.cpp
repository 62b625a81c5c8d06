#include "runtime/daemon/memory_keeper.hpp"

#include <utility>

#include "runtime/memory_text.hpp"

namespace capstan::runtime {
namespace {

constexpr const char* key = "memory";
constexpr const char* aside_key = "unreadable-memory";

/// Whoever stopped may have done more than it could remember.
engine::Memory for_a_start(engine::Memory memory) {
    memory.started = false;
    return memory;
}

std::size_t room_beside(std::size_t aside) {
    return aside < config_map_bytes ? config_map_bytes - aside : 0;
}

}  // namespace

MemoryKeeper::MemoryKeeper(kubernetes::Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)), room_(config_map_bytes), maps_(api, loop, options_.seed) {}

void MemoryKeeper::load(Loaded done) {
    saved_.clear();
    maps_.read(options_.name,
               [this, done = std::move(done)](Result<kubernetes::ConfigMap> map) mutable {
                   take(std::move(map), std::move(done));
               });
}

void MemoryKeeper::take(Result<kubernetes::ConfigMap> map, Loaded done) {
    if (!map && map.error().code == ErrorCode::not_found) return done(engine::Memory{});
    if (!map) return done(fail(within("memory", std::move(map).error())));
    const auto aside = map->data.find(aside_key);
    if (aside != map->data.end()) room_ = room_beside(aside->second.size());
    const auto text = map->data.find(key);
    if (text == map->data.end()) return done(engine::Memory{});
    Result<engine::Memory> memory =
        parse_memory(text->second, "ConfigMap " + options_.name.ns + "/" + options_.name.name);
    if (!memory) return put_aside(text->second, memory.error(), std::move(done));
    saved_ = text->second;
    done(for_a_start(*std::move(memory)));
}

void MemoryKeeper::put_aside(const std::string& text, const Error& why, Loaded done) {
    // Half of the room is enough for people to see what it is.
    const std::string kept = text.substr(0, config_map_bytes / 2);
    room_ = room_beside(kept.size());
    const std::string where = " (kept under " + std::string(aside_key) + ")";
    if (options_.on_unreadable)
        options_.on_unreadable(
            "memory cannot be read, so this start begins without it: " + why.message + where);
    maps_.write(options_.name, {.data = {{aside_key, kept}, {key, std::nullopt}}},
                [this, done = std::move(done)](const Result<kubernetes::ConfigMap>& written) {
                    if (!written && options_.on_unreadable)
                        options_.on_unreadable("the unreadable memory could not be kept: " +
                                               written.error().message);
                    done(engine::Memory{});
                });
}

void MemoryKeeper::save(std::string text, Done done) {
    if (text == saved_) return done({});
    maps_.write(options_.name, {.data = {{key, text}}},
                [this, text, done = std::move(done)](const Result<kubernetes::ConfigMap>& written) {
                    if (!written) return done(fail(within("memory", written.error())));
                    saved_ = text;
                    done({});
                });
}

}  // namespace capstan::runtime
