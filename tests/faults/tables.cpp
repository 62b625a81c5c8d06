#include "tables.hpp"

#include <chrono>

namespace capstan::faults {
namespace {

using simulation::api_server::ApiFault;
using simulation::api_server::ResponseCorruption;
using namespace std::chrono_literals;

/// Longer than any request of the daemon's waits.
constexpr Duration too_long = 65s;

template <int status>
void say(ApiFault& fault) {
    fault.status = status;
}
template <int status, int seconds>
void say_later(ApiFault& fault) {
    fault.status = status;
    fault.retry_after_s = seconds;
}
template <int status>
void do_and_say(ApiFault& fault) {
    fault.status = status;
    fault.is_carried_out = true;
}
template <ResponseCorruption how>
void spoil(ApiFault& fault) {
    fault.spoil = how;
}
/// After the second event.
template <void (*strike)(ApiFault&)>
void put_off(ApiFault& fault) {
    strike(fault);
    fault.after_events = 2;
}
void cut(ApiFault& fault) { fault.cuts = true; }
void do_and_cut(ApiFault& fault) {
    fault.cuts = true;
    fault.is_carried_out = true;
}
void begin_late(ApiFault& fault) { fault.delay = too_long; }
void answer_late(ApiFault& fault) {
    fault.delay = too_long;
    fault.is_carried_out = true;
}
void be_slow(ApiFault& fault) { fault.delay = 4s; }

constexpr Mishap all[] = {
    {"401", say<401>},
    {"403", say<403>, true},
    {"404", say<404>, true},
    {"409", say<409>, true},
    {"410", say<410>, true},
    {"422", say<422>, true},
    {"429", say<429>},
    {"429, to come again after 1 s", say_later<429, 1>},
    {"429, to come again after 10 min", say_later<429, 600>},
    {"500", say<500>},
    {"500, to come again after 1 s", say_later<500, 1>},
    {"502", say<502>},
    {"503", say<503>},
    {"504", say<504>},
    {"504 after it was carried out", do_and_say<504>},
    {"slow", be_slow},
    {"carried out when nobody waits any more", begin_late},
    {"answered when nobody waits any more", answer_late},
    {"connection lost before", cut},
    {"connection lost after it was carried out", do_and_cut},
    {"connection lost in the answer", spoil<ResponseCorruption::torn>},
    {"half an answer", spoil<ResponseCorruption::half>},
    {"garbage for an answer", spoil<ResponseCorruption::garbage>},
    {"silence for an answer", spoil<ResponseCorruption::silence>},
};

constexpr Mishap of_streams[] = {
    {"ERROR 401", put_off<say<401>>},
    {"ERROR 403", put_off<say<403>>},
    {"ERROR 404", put_off<say<404>>},
    {"ERROR 410", put_off<say<410>>},
    {"ERROR 422", put_off<say<422>>},
    {"ERROR 429", put_off<say<429>>},
    {"ERROR 500", put_off<say<500>>},
    {"ERROR 503", put_off<say<503>>},
    {"ERROR 504", put_off<say<504>>},
    {"stream cut", put_off<cut>},
    {"stream cut in an event", put_off<spoil<ResponseCorruption::torn>>},
    {"half an event", put_off<spoil<ResponseCorruption::half>>},
    {"garbage for an event", put_off<spoil<ResponseCorruption::garbage>>},
};

}  // namespace

std::span<const Mishap> mishaps() { return all; }
std::span<const Mishap> stream_mishaps() { return of_streams; }

}  // namespace capstan::faults
