"""Samples from files: CSV, Parquet, NPY, NPZ, folders of images; each reader gives blocks of samples."""
