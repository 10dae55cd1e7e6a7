"""Extractions of a document become its rows of the graph."""
