"""Bills of clouds, as Ibis expressions: the same code runs on DuckDB here and on Spark where a big bill lies."""
