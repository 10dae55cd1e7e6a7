"""`mnemo up`: the database, Dagster's programs and the watcher, as one that starts and ends whole."""
