// Named after no source.
