"""The report: experiments, networks and models of one's own on a page that stands alone.

Python gives data (``model_page`` and what it calls for a model, ``live_network`` for an experiment, ``classifier_data``
and ``network_data`` for what runs), ``page`` puts them into one file with the style and the scripts, and the scripts
draw them. Where to add something:

- a panel of the live network: a file in ``scripts/live``, one line in ``furtherPanels`` of ``live_network.js``;
- an exhibit, such as a section of the page about a model (``scripts/evaluation``): a file in ``scripts/exhibits`` or
  beside it, one line in ``scripts/page/exhibits.js``;
- a measure: a class and one line in ``scripts/network/measures.js``, which mirrors :mod:`redunet.measures`.

A new file needs a line in ``page.SCRIPTS``, too. ``scripts/network`` computes, ``scripts/drawing`` draws, and
``scripts/answers`` reads files by the rules of the command line; none of them knows of the page around it.
"""
