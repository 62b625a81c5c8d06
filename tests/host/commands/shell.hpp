/// Runs commands of the shipped binary in a shell.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace capstan::commands {

/// The build tree (bin/, lib/, tests/bin/), found from the path of this program.
inline std::filesystem::path build_tree() {
    return std::filesystem::read_symlink("/proc/self/exe")
        .parent_path()
        .parent_path()
        .parent_path();
}
inline std::filesystem::path shipped(const std::string& name) {
    return build_tree() / "lib/capstan/plugins" / name;
}
inline std::filesystem::path misbehaving() {
    return build_tree() / "tests/bin/plugins/misbehaving.so";
}

inline std::filesystem::path throwing() { return build_tree() / "tests/bin/plugins/throwing.so"; }

/// The example of a cloud plugin over HTTP: it needs an endpoint, a token and an API.
inline std::filesystem::path http_cloud() {
    return build_tree() / "tests/bin/plugins/new_http_cloud.so";
}

/// The path as one word of a shell command.
inline std::string quoted_path(const std::filesystem::path& path) {
    return "'" + path.string() + "'";
}

/// A temporary folder, removed at the end of the test.
class Folder {
public:
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "capstan-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = pattern;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return (path_ / name).string();
    }
    std::string read(const std::string& name) const {
        std::ifstream in(path_ / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::filesystem::path path_;
};

struct CommandResult {
    int code = -1;
    std::string out, err;
};

/// `PROGRAM ARGUMENTS`, with `input` on standard input.
inline CommandResult run_command(const std::filesystem::path& program, const std::string& arguments,
                                 const std::string& input = {}) {
    const Folder folder;
    const std::string in = folder.write("in", input);
    // First, so that `arguments` can override them.
    const std::string redirections = "<'" + in + "' >'" + (folder.path() / "out").string() +
                                     "' 2>'" + (folder.path() / "err").string() + "' ";
    const std::string command = redirections + quoted_path(program) + " " + arguments;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

/// `capstan ARGUMENTS`, with `input` on standard input.
inline CommandResult capstan(const std::string& arguments, const std::string& input = {}) {
    return run_command(build_tree() / "bin/capstan", arguments, input);
}

}  // namespace capstan::commands
