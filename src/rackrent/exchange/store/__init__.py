"""Where the exchange's values are kept: one protocol; in memory, in SQLite or in PostgreSQL."""
