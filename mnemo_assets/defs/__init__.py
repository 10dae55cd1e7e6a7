"""Dagster's side of the house: it shows what the ledger says, and asks for work. Only it imports dagster."""
