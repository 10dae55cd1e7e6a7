"""The bundled MCP server: a thin edge over mnemo_assets.serve. This file imports nothing."""
