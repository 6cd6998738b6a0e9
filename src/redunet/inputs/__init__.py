"""The entrance: what users pass, into arrays of one shape, or an error that helps."""
