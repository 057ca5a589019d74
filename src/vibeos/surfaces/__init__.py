"""Surfaces: how people and programs reach VibeOS. They hold no rule of their own; each verb is the app's."""
