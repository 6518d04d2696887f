"""Analysis: exact distributions and bulk settlement, beside the running system."""
