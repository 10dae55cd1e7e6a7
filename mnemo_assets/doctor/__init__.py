"""`mnemo doctor`: what works, what is missing, and how to mend it. Works where nothing else does."""
