"""The report: experiments and networks on a page that stands alone."""
