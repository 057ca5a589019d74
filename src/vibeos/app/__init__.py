"""The composition root: every verb of the product once, for the command line, libraries and servers alike."""
