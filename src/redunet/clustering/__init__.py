"""Segmentation by coding length (Ma, Derksen, Hong and Wright, 2007): the clusters that give the shortest code.

``segment_moments`` and ``coding_length`` say how long a code is, ``start_segments``, ``merge_tree`` and
``reassignment`` change clusters, and ``segmentation`` puts them together.
"""
