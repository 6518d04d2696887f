"""Analysis: exact distributions and bulk settlement, separate from the running system."""
