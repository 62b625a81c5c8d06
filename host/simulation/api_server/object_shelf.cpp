#include "simulation/api_server/object_shelf.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::simulation {

struct Subscription::State {
    Subscriber subscriber;
    std::uint64_t seen = 0;
    bool is_awake = false;
    bool is_over = false;
};

Subscription::~Subscription() { state_->is_over = true; }

std::string object_key(std::string_view space, std::string_view name) {
    return std::string(space).append("/").append(name);
}

std::string object_key(const json::object& object) {
    return object_key(text_at(object, "metadata.namespace"), text_at(object, "metadata.name"));
}

ApiObject ObjectShelf::find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second->second;
}

ObjectShelf::Objects ObjectShelf::objects_at(std::uint64_t revision) const {
    Objects out = objects_;
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
        if (change->revision <= revision) break;
        const std::string key = object_key(*change->object);
        if (change->before == nullptr) {
            out.erase(key);
        } else {
            out[key] = change->before;
        }
    }
    return out;
}

bool ObjectShelf::has_changed_since(std::uint64_t revision) const {
    return !changes_.empty() && changes_.back().revision > revision;
}

void ObjectShelf::set(const std::string& key, const ApiObject& object) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
        found->second->second = object;
    } else {
        const auto made = objects_.emplace(key, object).first;
        by_key_.emplace(made->first, made);
    }
}

void ObjectShelf::erase(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const auto gone = found->second;
    by_key_.erase(found);
    objects_.erase(gone);
}

void ObjectShelf::record(const std::string& key, Change change) {
    if (change.type == ChangeType::deleted) {
        erase(key);
    } else {
        set(key, change.object);
    }
    changes_.push_back(std::move(change));
    std::erase_if(subscribers_, [](const auto& weak) { return weak.expired(); });
    std::uint64_t told = changes_.back().revision;
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && !state->is_over) {
            told = std::min(told, state->seen);
            wake(state);
        }
    // A burst that the loop has not told yet stays, however long it is.
    while (changes_.size() > history_ && changes_.front().revision <= told) {
        oldest_ = changes_.front().revision;
        changes_.pop_front();
    }
}

void ObjectShelf::forget_until(std::uint64_t revision) {
    // Who has been told everything misses nothing.
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && next(state->seen) == nullptr)
            state->seen = std::max(state->seen, revision);
    oldest_ = std::max(oldest_, revision);
    while (!changes_.empty() && changes_.front().revision <= oldest_) changes_.pop_front();
}

std::unique_ptr<Subscription> ObjectShelf::subscribe(std::uint64_t after, Subscriber subscriber) {
    auto state = std::make_shared<Subscription::State>();
    state->subscriber = std::move(subscriber);
    state->seen = after;
    subscribers_.push_back(state);
    wake(state);
    return std::make_unique<Subscription>(std::move(state));
}

void ObjectShelf::wake(const std::shared_ptr<Subscription::State>& state) {
    if (std::exchange(state->is_awake, true)) return;
    boost::asio::post(io_, [this, state] {
        state->is_awake = false;
        if (!state->is_over) deliver(state);
    });
}

void ObjectShelf::deliver(const std::shared_ptr<Subscription::State>& state) {
    while (!state->is_over && state->seen >= oldest_) {
        const Change* change = next(state->seen);
        if (change == nullptr) return;
        state->seen = change->revision;
        // A copy: whoever is told may write, which moves the history.
        const Change told = *change;
        state->subscriber.changed(told);
    }
    if (state->is_over) return;
    state->is_over = true;
    if (state->subscriber.expired) state->subscriber.expired();
}

const Change* ObjectShelf::next(std::uint64_t after) const {
    const auto found = std::ranges::upper_bound(changes_, after, {}, &Change::revision);
    return found == changes_.end() ? nullptr : &*found;
}

}  // namespace capstan::simulation
