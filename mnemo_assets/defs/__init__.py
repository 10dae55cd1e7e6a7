"""Dagster's side of the house, and the only importers of dagster: it shows what the ledger says, and asks for work."""
