"""The bake-off: which recipe to trust with the archive, measured on a sample of it before one drains the whole."""

from mnemo_assets.evaluation.stored import measured

__all__ = ["measured"]
