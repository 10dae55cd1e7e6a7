"""The steps over the whole archive: each owns its transactions and takes work by claiming it."""
