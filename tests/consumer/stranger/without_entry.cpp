// A plugin whose author forgot CAPSTAN_PLUGIN.
#include <capstan/plugin.hpp>
