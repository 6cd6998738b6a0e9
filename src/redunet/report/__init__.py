"""The report: experiments and networks on a page that stands alone.

Python gives data (``model_page``, ``live_network``, ``network_data``), ``page`` puts them into one file with the style
and the scripts, and the scripts draw them. Where to add something:

- a panel of the live network: a file in ``scripts/live``, one line in ``furtherPanels`` of ``live_network.js``;
- an exhibit: a file in ``scripts/exhibits``, one line in ``scripts/page/exhibits.js``;
- a measure: a class and one line in ``scripts/network/measures.js``, which mirrors :mod:`redunet.measures`.

A new file needs a line in ``page.SCRIPTS``, too. ``scripts/network`` computes and ``scripts/drawing`` draws; neither
knows of the page around it.
"""
