#include "api.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <curl/curl.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace capstan::e2e {
namespace {

namespace json = boost::json;

std::size_t append(char* data, std::size_t size, std::size_t count, void* to) {
    static_cast<std::string*>(to)->append(data, size * count);
    return size * count;
}

const json::value* find(const json::value& object, const std::string& pointer) {
    boost::system::error_code ignored;
    return object.find_pointer(pointer, ignored);
}

bool is_true(const json::value& object, const std::string& type) {
    const json::value* const conditions = find(object, "/status/conditions");
    if (conditions == nullptr || !conditions->is_array()) return false;
    return std::ranges::any_of(conditions->get_array(), [&](const json::value& condition) {
        return condition.at("type").as_string() == type &&
               condition.at("status").as_string() == "True";
    });
}

std::string text_at(const json::value& object, const std::string& pointer) {
    const json::value* const found = find(object, pointer);
    return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
}

}  // namespace

Api::Answer Api::send(const std::string& method, const std::string& path, const std::string& body,
                      const std::string& type) const {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                   curl_easy_cleanup);
    curl_slist* lines = curl_slist_append(nullptr, ("Content-Type: " + type).c_str());
    if (!token_.empty())
        lines = curl_slist_append(lines, ("Authorization: Bearer " + token_).c_str());
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(lines,
                                                                              curl_slist_free_all);
    Answer out;
    curl_easy_setopt(curl.get(), CURLOPT_URL, (url_ + path).c_str());
    curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
    curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 10L);
    if (method != "GET") curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &out.body);
    long status = 0;
    const CURLcode code = curl_easy_perform(curl.get());
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        throw std::runtime_error(method + " " + path + ": " + curl_easy_strerror(code));
    out.status = static_cast<int>(status);
    return out;
}

std::string Api::ask(const std::string& method, const std::string& path, const std::string& body,
                     const std::string& type) const {
    Answer reply = send(method, path, body, type);
    if (reply.status >= 300)
        throw std::runtime_error(method + " " + path + ": " + std::to_string(reply.status) + " " +
                                 reply.body);
    return std::move(reply.body);
}

Api::Answer Api::answer(const std::string& path) const {
    return send("GET", path, "", "application/json");
}

json::value Api::get(const std::string& path) const {
    return json::parse(ask("GET", path, "", "application/json"));
}

void Api::patch(const std::string& path, const std::string& body) const {
    ask("PATCH", path, body, "application/merge-patch+json");
}

void Api::create(const std::string& path, const std::string& body) const {
    ask("POST", path, body, "application/json");
}

std::vector<std::string> Api::names(const std::string& path, const std::string& with) const {
    std::vector<std::string> out;
    const json::value list = get(path);
    for (const json::value& item : list.at("items").as_array()) {
        if (with.empty() || json::serialize(item).find(with) != std::string::npos)
            out.push_back(text_at(item, "/metadata/name"));
    }
    return out;
}

int Api::nodes_of(const std::string& group) const {
    const json::value list = get("/api/v1/nodes");
    return static_cast<int>(
        std::ranges::count_if(list.at("items").as_array(), [&](const json::value& node) {
            return text_at(node, "/spec/providerID").starts_with("simulated://" + group + "/") &&
                   is_true(node, "Ready");
        }));
}

int Api::ready_pods(const std::string& app) const {
    const json::value list = get("/api/v1/namespaces/default/pods?labelSelector=app%3D" + app);
    return static_cast<int>(std::ranges::count_if(
        list.at("items").as_array(), [](const json::value& pod) { return is_true(pod, "Ready"); }));
}

void Api::scale(const std::string& deployment, int replicas) const {
    patch("/apis/apps/v1/namespaces/default/deployments/" + deployment + "/scale",
          R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
}

std::string Api::leader() const {
    const json::value leases = get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
    for (const json::value& lease : leases.at("items").as_array()) {
        if (text_at(lease, "/metadata/name") == "cluster-autoscaler")
            return text_at(lease, "/spec/holderIdentity");
    }
    return "";
}

}  // namespace capstan::e2e
