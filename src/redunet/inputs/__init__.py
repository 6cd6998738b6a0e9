"""The entrance: what users pass, into arrays of one shape, or an error that helps.

``samples`` reads X, y and weights, ``parameters`` checks options, ``errors`` has the types of the errors: a new type is
a class there. (Two rooms have errors of their own: ``storage/model_file_error.py`` and ``cli/command_errors.py``.)
"""
