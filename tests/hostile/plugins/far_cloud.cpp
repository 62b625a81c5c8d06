// A vendor's cloud plugin with a faulty API: one group "far", whose machines never join. Some
// refreshes also block the strand, as a synchronous library does.
#include <charconv>
#include <thread>

#include <capstan/http.hpp>
#include <capstan/plugin.hpp>

namespace {

using namespace capstan;

constexpr auto group_id = "far";
constexpr int group_max = 50;

ErrorCode code_of(int status) {
    if (status == 429) return ErrorCode::throttled;
    return status == 401 ? ErrorCode::unauthenticated : ErrorCode::unavailable;
}

int parse_number(const std::string& text, int fallback) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? out : fallback;
}

class FarCloud {
public:
    FarCloud(const Host& host, const Settings& settings)
        : host_(host),
          endpoint_(settings.text("endpoint")),
          blocks_every_(static_cast<int>(settings.integer("blocks_every"))),
          blocks_for_(settings.duration("blocks_for")) {}
    static Schema schema() {
        return {{.key = "endpoint",
                 .type = SettingType::url,
                 .doc = "URL of its API.",
                 .required = true},
                {.key = "blocks_every",
                 .type = SettingType::integer,
                 .doc = "Every n-th refresh blocks the strand. 0: none.",
                 .default_value = "0"},
                {.key = "blocks_for",
                 .type = SettingType::duration,
                 .doc = "Duration of a blocked refresh.",
                 .default_value = R"("3s")"}};
    }

    Task<CloudView> refresh() {
        if (blocks_every_ > 0 && ++refreshes_ % blocks_every_ == 0)
            std::this_thread::sleep_for(blocks_for_);
        const int target = co_await call_api("GET", "");
        CloudView out;
        out.groups.push_back({.id = NodeGroupId(group_id),
                              .min = 0,
                              .max = group_max,
                              .target = target,
                              .template_fingerprint = "one"});
        for (int i = 0; i < target; ++i)
            out.machines.push_back({.id = MachineId("far://" + std::to_string(i)),
                                    .group = NodeGroupId(group_id),
                                    .state = MachineState::requested});
        co_return out;
    }
    Task<Resized> increase(Resize request) {
        co_return Resized{co_await call_api("POST", std::to_string(request.delta))};
    }
    Task<Resized> decrease_target(Resize request) {
        co_return Resized{co_await call_api("POST", std::to_string(-request.delta))};
    }
    Result<Removed> remove(Removal) const {
        return fail(ErrorCode::unsupported, "no machine is running");
    }
    NodeTemplate describe(const NodeGroupId& group) const {
        NodeTemplate out{.name = group.value(), .labels = {{"far", "true"}}, .fingerprint = "one"};
        out.taints.push_back({.key = "far", .value = "true", .effect = Effect::no_schedule});
        out.capacity = out.allocatable = {{"cpu", 4_cpu}, {"memory", 16_GiB}, {"pods", 110}};
        return out;
    }

private:
    Task<int> call_api(std::string method, std::string body) {
        const std::string url = endpoint_ + "/target";
        HttpRequest request = HttpRequest(method, url).with_body(std::move(body));
        const HttpReply reply = co_await send(host_, std::move(request));
        if (reply.status != 200) {
            Error error{code_of(reply.status),
                        method + " " + url + ": status " + std::to_string(reply.status)};
            const int after = parse_number(std::string(reply.header("retry-after")), 0);
            if (after > 0) error.retry_after = std::chrono::seconds(after);
            throw Failure(std::move(error));
        }
        const int target = parse_number(reply.body, -1);
        if (target < 0) throw Failure(ErrorCode::unavailable, method + " " + url + ": no number");
        co_return target;
    }

    const Host host_;
    const std::string endpoint_;
    const int blocks_every_;
    const Duration blocks_for_;
    int refreshes_ = 0;
};

}  // namespace

CAPSTAN_PLUGIN("test.far-cloud", "0.1.0", "Capstan's tests", CAPSTAN_KIND_CLOUD,
               make_class<FarCloud>({.id = "far_cloud", .doc = "A cloud with a faulty API."}))
