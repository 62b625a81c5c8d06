#include "permissions.hpp"

#include <algorithm>
#include <vector>

#include <yaml-cpp/yaml.h>

namespace capstan::balancer {
namespace {

std::vector<std::string> words_of(const std::string& path) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (end > at) out.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string verb_of(const std::string& method, bool has_name, bool is_watch) {
    if (method == "GET") return has_name ? "get" : is_watch ? "watch" : "list";
    if (method == "POST") return "create";
    return method == "PUT" ? "update" : method == "PATCH" ? "patch" : "delete";
}

/// The resource with its API group: "deployments/scale" of "apps" is "deployments.apps/scale".
std::string in_group(std::string resource, const std::string& group) {
    if (group.empty()) return resource;
    return resource.insert(std::min(resource.find('/'), resource.size()), "." + group);
}

}  // namespace

std::string permission_of(const std::string& method, const std::string& target) {
    const std::size_t query = std::min(target.find('?'), target.size());
    std::vector<std::string> words = words_of(target.substr(0, query));
    const bool has_group = !words.empty() && words.front() == "apis";
    const std::size_t above = has_group ? 3 : 2;
    if (words.size() <= above) return "";
    const std::string group = has_group ? words[1] : "";
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(above));
    if (words.size() > 2 && words.front() == "namespaces")
        words.erase(words.begin(), words.begin() + 2);
    const bool is_watch = target.find("watch=", query) != std::string::npos;
    std::string resource = words.front();
    if (words.size() > 2) resource += "/" + words[2];
    return verb_of(method, words.size() > 1, is_watch) + " " + in_group(resource, group);
}

std::set<std::string> permissions_in(const std::filesystem::path& manifest) {
    std::set<std::string> out;
    for (const YAML::Node& object : YAML::LoadAllFromFile(manifest.string())) {
        for (const YAML::Node& rule : object["rules"]) {
            for (const YAML::Node& group : rule["apiGroups"])
                for (const YAML::Node& resource : rule["resources"])
                    for (const YAML::Node& verb : rule["verbs"])
                        out.insert(verb.as<std::string>() + " " +
                                   in_group(resource.as<std::string>(), group.as<std::string>()));
        }
    }
    return out;
}

}  // namespace capstan::balancer
