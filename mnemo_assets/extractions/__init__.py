"""Texts to entities and relations, behind one Protocol."""
