// The exception of a C++ library that a plugin in C calls.
#include <stdexcept>

extern "C" void throw_through_c() { throw std::runtime_error("thrown through C"); }
