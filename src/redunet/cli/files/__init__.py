"""Samples from files of users: tables, arrays, signals, images; each reader gives blocks of samples.

A new file format is a file here with a ``FORMAT``, and a line in ``FORMATS`` of ``open_source``. (The formats of public
data sets, which users do not bring, are in ``redunet/data/formats.py``.)
"""
