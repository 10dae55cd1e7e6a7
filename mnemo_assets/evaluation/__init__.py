"""The bake-off: which recipe to trust with the archive, measured on a sample before one drains it."""
