#include "b/y.hpp"
