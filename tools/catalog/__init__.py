"""How the shipped tables were made from collected facts: `python -m tools.catalog FACTS_DIR`.

One module a group of tables; each offers `build(facts, sources) -> {table name: rows}`.
Nothing here is needed to use rackrent.
"""
