"""The files: which may come in, where they are, and what the ledger knows of them."""
