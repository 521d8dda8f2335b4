"""The steps, oldest first: a module each, and its SQL for each database."""
