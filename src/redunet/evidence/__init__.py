"""Choices made from the training samples alone.

``training_set`` holds the samples at the entrance of a network, and their moments once. Each kind of evidence is a
file: ``leave_one_out`` for the option of a measure, ``depth`` for the number of layers, ``lifts`` for a lift.
``choices`` puts them together, and is what an estimator calls: a new rule is a file here, and a line there.
"""
