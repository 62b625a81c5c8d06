#include "autoscaler/daemon/memory_keeper.hpp"

#include <algorithm>
#include <utility>

#include <capstan/utf8.hpp>

#include "autoscaler/record/memory_text.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr const char* aside_key = "unreadable-memory";
constexpr std::string_view state_prefix = "state.";

/// The leader that stopped may have done more than it could save.
engine::Memory for_a_start(engine::Memory memory) {
    memory.started = false;
    return memory;
}

std::size_t room_beside(std::size_t aside) {
    return MemoryMaps::first_max - std::min(aside, MemoryMaps::first_max);
}

}  // namespace

Result<engine::Memory> find_memory(const MemoryMaps::Content& content,
                                   const kubernetes::client::ConfigMapName& name,
                                   const std::optional<engine::PassTime>& read) {
    if (!content.broken_because.empty())
        return fail(ErrorCode::invalid_argument, content.broken_because);
    if (content.memory.empty()) return engine::Memory();
    return record::parse_memory(content.memory, "ConfigMap " + name.ns + "/" + name.name, read);
}

MemoryKeeper::MemoryKeeper(kubernetes::client::Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)),
      clock_(loop.clock()),
      room_(room_beside(0)),
      maps_(api, loop, options_.name, options_.seed) {}

void MemoryKeeper::load(Loaded done) {
    maps_.read([this, done = std::move(done)](Result<MemoryMaps::Content> content) mutable {
        take(std::move(content), std::move(done));
    });
}

void MemoryKeeper::take(Result<MemoryMaps::Content> content, Loaded done) {
    if (!content) return done(fail(within("memory", std::move(content).error())));
    const auto aside = content->others.find(aside_key);
    room_ = room_beside(aside != content->others.end() ? aside->second.size() : 0);
    PersistedState persisted;
    for (const auto& [name, text] : content->others)
        if (name.starts_with(state_prefix))
            persisted.states.emplace(name.substr(state_prefix.size()), text);
    Result<engine::Memory> memory =
        find_memory(*content, options_.name, engine::PassTime(clock_->now(), clock_->wall()));
    if (!memory)
        return put_aside(std::move(persisted), content->memory, memory.error(), std::move(done));
    persisted.text = std::move(content->memory);
    if (!persisted.text.empty()) persisted.memory = for_a_start(*std::move(memory));
    done(std::move(persisted));
}

void MemoryKeeper::put_aside(PersistedState persisted, const std::string& text, const Error& why,
                             Loaded done) {
    // Half of the room is enough for people to see what it is.
    std::string kept(beginning_of(text, MemoryMaps::first_max / 2));
    room_ = room_beside(kept.size());
    const std::string where = " (copy in key " + std::string(aside_key) + ")";
    if (options_.on_unreadable)
        options_.on_unreadable(
            "data for a restart cannot be read, starting without it: " + why.message + where);
    maps_.write({}, {{aside_key, std::move(kept)}},
                [this, persisted = std::move(persisted),
                 done = std::move(done)](const Result<void>& written) {
                    if (!written && options_.on_unreadable)
                        options_.on_unreadable("cannot keep a copy of the unreadable data: " +
                                               written.error().message);
                    done(persisted);
                });
}

void MemoryKeeper::save(std::string memory, const std::map<std::string, std::string>& states,
                        Done done) {
    kubernetes::client::ConfigMapChange::Values others;
    for (const auto& [instance, text] : states)
        others.emplace(std::string(state_prefix) + instance, text);
    maps_.write(std::move(memory), std::move(others), std::move(done));
}

}  // namespace capstan::autoscaler::daemon
