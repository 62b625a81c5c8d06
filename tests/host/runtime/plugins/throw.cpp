// For a plugin in C whose functions let an exception out, as one in C++ may that is built without
// the boundary's promise, or one in Rust that unwinds.
#include <stdexcept>

extern "C" void tiny_throw();
void tiny_throw() { throw std::runtime_error("through C"); }
