"""`python -m mnemo_assets.cli` is `mnemo`."""

from mnemo_assets.cli import main

main()
