"""The mathematics: pure functions on arrays that read like the paper's equations.

Everything works on blocks ``V[freq, channel, sample]``: one real block for plain vectors, the half spectrum of real
signals for shifts and translations. The order of the files is the order of one layer::

    spectrum -> moments -> operators -> membership -> step

``rates`` and ``subspaces`` are read off the same moments, ``orbit`` picks one representative of all shifts of a sample.
Nothing here validates, prints or draws random numbers. ``redunet.fast`` has fast versions of ``step``, ``moments`` and
``operators``; the network computes with them, and the tests compare them with the readable ones here.
"""
