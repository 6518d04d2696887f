"""The link between a house and its gateways."""
