#include "runtime/pass_metrics/failure_reason.hpp"

namespace capstan::runtime::pass_metrics {

std::string failure_reason(ErrorCode code) {
    switch (code) {
        case ErrorCode::deadline: return "timeout";
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::unauthenticated:
        case ErrorCode::permission:
        case ErrorCode::internal: return "apiCallError";
        case ErrorCode::out_of_capacity:
        case ErrorCode::quota: return std::string(name_of(code));
        default: return "cloudProviderError";
    }
}

std::string failure_reason(const Error& error) {
    return error.provider_code.empty() ? failure_reason(error.code) : error.provider_code;
}

}  // namespace capstan::runtime::pass_metrics
