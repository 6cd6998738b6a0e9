"""Files that are written completely or not at all: models, and the progress of a fit.

``stored_types`` is the registry in which classes say how they are stored, ``encoding`` and ``decoding`` turn values
into JSON and arrays and back, ``array_file`` holds both in one file, ``model_file`` is a saved estimator,
``checkpoint`` the progress of a fit. This room imports none of the classes that are stored.

A fitted attribute is stored where its class registers it, with ``@stored_attributes(name=type)``; a record with
``@stored_record()``; ``stored_types`` says how. What is wrong with a file is a ``ModelFileError``.
"""
