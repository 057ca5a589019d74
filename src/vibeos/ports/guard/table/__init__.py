"""The table of rules, one module for each kind, with the words that its rules are made of.

The words are imperatives and infinitives: "ignore" tells somebody to do it, "ignores" describes what something does.
"""
