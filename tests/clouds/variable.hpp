/// Environment variables of a test.
#pragma once

#include <cstdlib>
#include <string>

namespace capstan::clouds {

/// Sets a variable of this process, and of those that it starts, until it is destroyed.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* const name_;
};

}  // namespace capstan::clouds
