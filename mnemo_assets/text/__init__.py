"""Documents become text: a reader per extension, in a sandbox, normalised before offsets exist, cached."""
