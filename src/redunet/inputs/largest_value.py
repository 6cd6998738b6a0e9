"""The largest value of a sample; a file of its own, so that files can be checked without scikit-learn."""

# Larger values overflow in sums of squares, and no scaling of one sample by itself can help a sum over many.
LARGEST_VALUE = 1e300
