/// Runs kubectl against an API server on loopback.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <tuple>

#include <unistd.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>

#include "simulator/api_server/api_server.hpp"

namespace capstan::simulator::api_server {

/// The loop runs on its own thread, as in a program; `on_loop` runs code on it. A pod that is
/// deleted ends at once, unless a subclass overrides `start_cluster`.
class Kubectl : public ::testing::Test {
protected:
    struct CommandResult {
        int status = 0;
        std::string out{};  ///< both streams
    };

    void SetUp() override {
        if (std::system("command -v kubectl > /dev/null 2>&1") != 0)
            GTEST_SKIP() << "kubectl is not installed";
        folder_ = std::filesystem::temp_directory_path() /
                  ("capstan-kubectl-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        ASSERT_TRUE(server_.listen());
        write("kubeconfig", server_.kubeconfig());
        start_cluster();
        thread_ = std::thread([this] { io_.run(); });
    }
    void TearDown() override {
        work_.reset();
        io_.stop();
        if (thread_.joinable()) thread_.join();
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }
    std::string command(const std::string& arguments) const {
        return "timeout 60 kubectl --kubeconfig " + path("kubeconfig") + " --cache-dir " +
               path("cache") + " " + arguments + " 2>&1";
    }
    /// `arguments` are parsed by a shell.
    CommandResult run(const std::string& arguments) const {
        CommandResult out;
        FILE* pipe = ::popen(command(arguments).c_str(), "r");
        std::array<char, 4096> buffer;
        while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
            out.out.append(buffer.data(), size);
        out.status = ::pclose(pipe);
        return out;
    }
    /// Returns the output of `kubectl ARGUMENTS`. A failed command fails the test.
    std::string kubectl(const std::string& arguments) const {
        const CommandResult result = run(arguments);
        EXPECT_EQ(result.status, 0) << "kubectl " << arguments << "\n" << result.out;
        return result.out;
    }
    /// Runs `kubectl ARGUMENTS`, which watches, and calls `meanwhile` once the watch is open. Cuts
    /// the watch when the output contains `end`, and returns the output.
    template <class Meanwhile>
    std::string watch(const std::string& arguments, Meanwhile meanwhile, std::string_view end) {
        FILE* pipe = ::popen(command(arguments).c_str(), "r");
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (on_loop([this] { return server_.watch_count(); }) == 0 &&
               std::chrono::steady_clock::now() < give_up)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        meanwhile();
        std::string seen;
        std::array<char, 256> line;
        while (seen.find(end) == std::string::npos && std::fgets(line.data(), line.size(), pipe))
            seen += line.data();
        on_loop([this] { server_.cut_watches(); });
        ::pclose(pipe);
        return seen;
    }
    /// Applies `text`, which is JSON or YAML.
    std::string apply(const std::string& text, const std::string& options = "") const {
        return kubectl("apply " + options + " -f " + write("applied.yaml", text));
    }

    template <class Work>
    auto on_loop(Work work) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto result = task.get_future();
        boost::asio::post(io_, [&task] { task(); });
        return result.get();
    }
    void create(const std::string& resource, const std::string& space, const std::string& object) {
        const auto made = on_loop([&] {
            return store_.create(store_.kind(resource), space,
                                 boost::json::parse(object).as_object(),
                                 {.part = ObjectPart::everything});
        });
        ASSERT_TRUE(made) << made.error();
    }
    void create_node(const std::string& name, const std::string& ready = "True") {
        create("nodes", "",
               R"({"metadata":{"name":")" + name + R"(","labels":{"zone":"a"}},
            "status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"},
            "nodeInfo":{"kubeletVersion":"v1.33.0"},
            "conditions":[{"type":"Ready","status":")" +
                   ready + R"("}]}})");
    }
    void create_pod(const std::string& name, const std::string& node) {
        create("pods", "default",
               R"({"metadata":{"name":")" + name + R"(","labels":{"app":"web"}},
            "spec":{"nodeName":")" +
                   node + R"(","containers":[{"name":"c","image":"i"}]},
            "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
            "containerStatuses":[{"name":"c","ready":true,"restartCount":0,
            "state":{"running":{}}}]}})");
    }
    void create_deployment(const std::string& name) {
        create("deployments.apps", "default", R"({"metadata":{"name":")" + name + R"("},
            "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{
            "metadata":{"labels":{"app":"web"}},
            "spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
    }

    /// Called before the loop runs. Starts a kubelet that ends each deleted pod at once.
    virtual void start_cluster() {
        auto made = store_.subscribe(
            store_.kind("pods"), store_.revision(),
            {[this](const Change& change) {
                 if (change.type == ChangeType::deleted ||
                     find_value(*change.object, "metadata.deletionTimestamp") == nullptr)
                     return;
                 std::ignore = store_.remove(
                     store_.kind("pods"), text_at(*change.object, "metadata.namespace"),
                     text_at(*change.object, "metadata.name"), {.grace_s = 0});
             },
             {}});
        ASSERT_TRUE(made);
        kubelet_ = std::move(*made);
    }

    boost::asio::io_context io_{};
    io::Loop loop_{io_};
    ObjectStore store_{loop_, {}};
    ApiServer server_{store_};

private:
    std::filesystem::path folder_{};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    std::unique_ptr<Subscription> kubelet_{};
    std::thread thread_{};
};

}  // namespace capstan::simulator::api_server
