#include "runtime/cloud_answers.hpp"

#include <utility>

#include "runtime/time_text.hpp"

namespace capstan::runtime {
namespace {

/// The same groups, none of which is touched; one that was unreadable before has its own reason.
CloudReading::Groups marked(const std::vector<engine::Group>& groups, const std::string& because) {
    std::vector<engine::Group> out = groups;
    for (engine::Group& group : out)
        if (group.unreadable_because.empty()) group.unreadable_because = because;
    return std::make_shared<const std::vector<engine::Group>>(std::move(out));
}

}  // namespace

std::string_view name_of(CloudStanding standing) noexcept {
    switch (standing) {
        case CloudStanding::answered: return "answered";
        case CloudStanding::failed: return "failed";
        case CloudStanding::silent: return "silent";
        case CloudStanding::resting: return "resting";
    }
    return "answered";
}

void CloudAnswers::begin(Duration now, Time wall) {
    is_under_way_ = true;
    is_used_ = true;  // an answer before counts as what is known
    began_ = now;
    began_wall_ = wall;
}

void CloudAnswers::end(CloudReading reading, Duration now, Time wall,
                       std::optional<Duration> patience) {
    is_under_way_ = false;
    is_used_ = false;
    ended_ = now;
    is_slow_ = patience && now - began_ > *patience;
    if (!reading.failure) answered_wall_ = wall;
    last_ = std::move(reading);
}

bool CloudAnswers::has_unused(Duration since) const noexcept {
    return !is_used_ && ended_ >= since;
}

CloudReading CloudAnswers::untouched(const CloudState& state, Error problem) {
    CloudReading out{.groups = last_.groups,
                     .machines = no_machines_,
                     .problems = {std::move(problem)},
                     .failure = last_.failure};
    if (!out.groups->empty() && (marked_from_ != out.groups || marked_because_ != state.because)) {
        marked_ = marked(*out.groups, state.because);
        marked_from_ = out.groups;
        marked_because_ = state.because;
    }
    if (!out.groups->empty()) out.groups = marked_;
    // A cloud that never answered has no groups that could be kept.
    if (!answered_wall_) out.unread_because = state.because;
    return out;
}

CloudReading CloudAnswers::reading_for_view(const PluginInstanceId& cloud,
                                            const std::string* resting, CloudState& state) {
    state = {.cloud = cloud, .answered = answered_wall_};
    const bool is_new = !std::exchange(is_used_, true);
    if (is_new) state.failure = last_.failure;
    was_given_up_ = is_under_way_ && !is_new;
    is_slow_ = is_slow_ || was_given_up_;
    state.is_slow = is_slow_;
    if (resting != nullptr) {
        state.standing = CloudStanding::resting;
        state.because = *resting;
        return untouched(state, {.code = ErrorCode::throttled, .message = *resting});
    }
    if (was_given_up_) {
        state.standing = CloudStanding::silent;
        state.because =
            "cloud " + cloud.value() + " has not answered since " + whole_second_text(began_wall_);
        return untouched(
            state, {.code = ErrorCode::deadline, .message = state.because + ", and is waited for"});
    }
    if (!last_.failure) return last_;
    state.standing = CloudStanding::failed;
    state.because = last_.failure->message;
    return untouched(state, *last_.failure);
}

}  // namespace capstan::runtime
