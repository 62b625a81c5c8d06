/// Starting a program, in the operating system's terms.
#pragma once

#include <sys/types.h>

#include <utility>

#include <capstan/result.hpp>

#include "kubernetes/client/access/exec_credentials_process.hpp"

namespace capstan::kubernetes {

/// A file descriptor that is closed at the end.
class OwnedFile {
public:
    OwnedFile() = default;
    explicit OwnedFile(int file) noexcept : file_(file) {}
    OwnedFile(OwnedFile&& other) noexcept : file_(other.release()) {}
    OwnedFile& operator=(OwnedFile&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~OwnedFile();

    int get() const noexcept { return file_; }
    int release() noexcept { return std::exchange(file_, -1); }

private:
    int file_ = -1;
};

/// A program that has been started, in a process group of its own that has the same number.
struct Spawned {
    pid_t pid = 0;
    OwnedFile exit{};    ///< readable when it has ended
    OwnedFile output{};  ///< the ends to read from
    OwnedFile errors{};
};

/// `invalid_config`: the program cannot be run; `unavailable`: the system lacks something.
Result<Spawned> spawn(const ProgramRun& run);

}  // namespace capstan::kubernetes
