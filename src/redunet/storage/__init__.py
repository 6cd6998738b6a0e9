"""Files that are written completely or not at all: models, and the progress of a fit.

``stored_types`` is the registry in which classes say how they are stored, ``encoding`` and ``decoding`` turn values
into JSON and arrays and back, ``array_file`` holds both in one file, ``model_file`` is a saved estimator,
``checkpoint`` the progress of a fit. This room imports no other one.
"""
