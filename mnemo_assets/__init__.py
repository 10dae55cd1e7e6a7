"""mnemo: a personal knowledge graph on the owner's own hardware. A room is imported where it is needed."""
