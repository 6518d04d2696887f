"""Reports: projections of the journal laid out as documents, PDF and thermal print."""
