"""What people and agents ask of the exchange: load, decide by the rules, keep. One module a subject."""
