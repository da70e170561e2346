"""Modules for agent frameworks, each on the core. A module imports its framework."""
