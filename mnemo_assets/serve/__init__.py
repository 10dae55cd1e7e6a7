"""Questions answered with SELECT only. This file imports nothing."""
