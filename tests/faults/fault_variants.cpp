#include "fault_variants.hpp"

#include <chrono>

namespace capstan::faults {
namespace {

using simulator::api_server::ApiFault;
using simulator::api_server::ResponseCorruption;
using namespace std::chrono_literals;

/// Longer than the deadline of any request of the daemon.
constexpr Duration beyond_timeout = 65s;

template <int status>
void refuse(ApiFault& fault) {
    fault.status = status;
}
template <int status, int seconds>
void refuse_with_retry_after(ApiFault& fault) {
    fault.status = status;
    fault.retry_after_s = seconds;
}
template <int status>
void carry_out_and_refuse(ApiFault& fault) {
    fault.status = status;
    fault.is_carried_out = true;
}
template <ResponseCorruption how>
void corrupt(ApiFault& fault) {
    fault.spoil = how;
}
/// The fault takes effect after the second event of a watch.
template <void (*apply)(ApiFault&)>
void after_two_events(ApiFault& fault) {
    apply(fault);
    fault.after_events = 2;
}
void cut(ApiFault& fault) { fault.cuts = true; }
void carry_out_and_cut(ApiFault& fault) {
    fault.cuts = true;
    fault.is_carried_out = true;
}
void carry_out_late(ApiFault& fault) { fault.delay = beyond_timeout; }
void answer_late(ApiFault& fault) {
    fault.delay = beyond_timeout;
    fault.is_carried_out = true;
}
void delay(ApiFault& fault) { fault.delay = 4s; }

constexpr FaultVariant request_variants[] = {
    {"401", refuse<401>},
    {"403", refuse<403>, true},
    {"404", refuse<404>, true},
    {"409", refuse<409>, true},
    {"410", refuse<410>, true},
    {"422", refuse<422>, true},
    {"429", refuse<429>},
    {"429 with Retry-After 1 s", refuse_with_retry_after<429, 1>},
    {"429 with Retry-After 10 min", refuse_with_retry_after<429, 600>},
    {"500", refuse<500>},
    {"500 with Retry-After 1 s", refuse_with_retry_after<500, 1>},
    {"502", refuse<502>},
    {"503", refuse<503>},
    {"504", refuse<504>},
    {"504 after it was carried out", carry_out_and_refuse<504>},
    {"slow", delay},
    {"carried out after the timeout", carry_out_late},
    {"answered after the timeout", answer_late},
    {"connection lost before", cut},
    {"connection lost after it was carried out", carry_out_and_cut},
    {"connection lost in the response", corrupt<ResponseCorruption::torn>},
    {"half of a response", corrupt<ResponseCorruption::half>},
    {"garbage instead of a response", corrupt<ResponseCorruption::garbage>},
    {"no response", corrupt<ResponseCorruption::silence>},
};

constexpr FaultVariant stream_variants[] = {
    {"ERROR 401", after_two_events<refuse<401>>},
    {"ERROR 403", after_two_events<refuse<403>>},
    {"ERROR 404", after_two_events<refuse<404>>},
    {"ERROR 410", after_two_events<refuse<410>>},
    {"ERROR 422", after_two_events<refuse<422>>},
    {"ERROR 429", after_two_events<refuse<429>>},
    {"ERROR 500", after_two_events<refuse<500>>},
    {"ERROR 503", after_two_events<refuse<503>>},
    {"ERROR 504", after_two_events<refuse<504>>},
    {"stream cut", after_two_events<cut>},
    {"stream cut in an event", after_two_events<corrupt<ResponseCorruption::torn>>},
    {"half of an event", after_two_events<corrupt<ResponseCorruption::half>>},
    {"garbage instead of an event", after_two_events<corrupt<ResponseCorruption::garbage>>},
    {"an object of another kind", after_two_events<corrupt<ResponseCorruption::other_kind>>},
    {"an object without a name", after_two_events<corrupt<ResponseCorruption::nameless>>},
};

}  // namespace

std::span<const FaultVariant> fault_variants() { return request_variants; }
std::span<const FaultVariant> stream_fault_variants() { return stream_variants; }

}  // namespace capstan::faults
