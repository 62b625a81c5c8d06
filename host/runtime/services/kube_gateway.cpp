#include "runtime/services/kube_gateway.hpp"

namespace capstan::runtime {

KubeGateway::KubeGateway(std::shared_ptr<kubernetes::Api> api, io::Loop& loop,
                         kubernetes::EventRecorder::Options events)
    : api_(std::move(api)), discovery_(*api_, loop), events_(*api_, loop, std::move(events)) {}

}  // namespace capstan::runtime
