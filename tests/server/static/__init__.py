"""The pages' modules without a browser."""
