"""The entrance: what users pass, into arrays of one shape, or an error that helps.

``samples`` reads X, y and weights, ``parameters`` checks options, ``errors`` has the types of the errors: a new type is
a class there. (Errors about files are where the files are read: ``storage/model_file_error.py``, ``data/store.py``,
``cli/command_errors.py``.)
"""
