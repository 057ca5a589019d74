"""Core and User: two small curated files, changed only through one choke point (`service`)."""
