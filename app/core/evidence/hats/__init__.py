"""Catalogues in the HATS layout: partitions of the sky as Parquet files in a folder."""
