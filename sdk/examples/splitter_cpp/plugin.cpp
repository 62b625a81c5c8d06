#include <capstan/plugin.hpp>

#include "new_splitter.hpp"

CAPSTAN_PLUGIN("example.new_splitter", "0.1.0", "Example", CAPSTAN_KIND_SPLITTER,
               capstan::make_class<NewSplitter>(
                   {.id = "new_splitter",
                    .doc = "Fills one group after the other, those with the most room first."}))
