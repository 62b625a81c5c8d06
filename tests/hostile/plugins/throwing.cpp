// The exception of a C++ library that a C plugin calls.
#include <stdexcept>

extern "C" void throw_through_c() { throw std::runtime_error("thrown through C"); }
