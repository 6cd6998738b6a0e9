"""What a class measures a sample by: one file for each measure.

A new measure is a file here, a line in ``registry``, a test in ``tests/measures`` (those of ``test_every_measure`` run
for it, too) and, to run in the page, a class in ``report/scripts/network/measures.js``. ``measure`` says what it must
give, ``class_moments`` what it is made of, ``left_out`` what leave-one-out asks of it.
"""
